#include "cli/invoke.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "cli/program_line.h"

namespace homenode::cli {
namespace {

/// The arguments without the first of an option, which takes a value.
std::vector<std::string> without(const std::string& name, std::vector<std::string> arguments) {
  const auto option = std::find_if(
      arguments.begin(), arguments.end(),
      [&](const std::string& text) { return text == name || text.starts_with(name + "="); });
  if (option == arguments.end()) return arguments;
  const auto values = *option == name && option + 1 != arguments.end() ? 2 : 1;
  arguments.erase(option, option + values);
  return arguments;
}

/// The options with which verbs name files that they write. The host's files are read-only in the
/// lab, which brings these to the host.
constexpr std::array output_options{"--output",     "--svg", "--xml",     "--snapshot",
                                    "--seismogram", "--log", "--metrics", "--state",
                                    "--csv",        "--html"};

/// Adds the files that the arguments name as outputs of `app` or of a command below it. Without a
/// value, and as "-", an output goes to the standard output.
void add_outputs(const CLI::App& app, std::vector<std::string>& files) {
  for (const char* name : output_options) {
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr) continue;
    for (const std::string& file : option->results()) {
      if (option->count() > 0 && !file.empty() && file != "-") files.push_back(file);
    }
  }
  for (const CLI::App* inner : app.get_subcommands()) add_outputs(*inner, files);
}

/// Runs `inner`, a command line without the lab's options, inside the lab; it writes the files
/// `outputs`. Without `reads_input` the standard input is left to others.
int run_in_lab(Context& context, const LabOptions& lab, const std::vector<std::string>& outputs,
               bool reads_input, const std::vector<std::string>& inner) {
  std::string self = companion(context, "homenode");
  if (self.find('/') == std::string::npos) self = context.program;
  std::vector<std::string> command{"run", "--machine", lab.machine};
  if (!lab.scale.empty()) command.push_back("--scale=" + lab.scale);
  if (!reads_input) command.emplace_back("--no-input");
  if (!context.names_program) command.emplace_back("--as-verb");
  for (const std::string& file : outputs) command.push_back("--output=" + file);
  command.insert(command.end(), {"--", self});
  command.insert(command.end(), inner.begin(), inner.end());
  return run_companion(context, "lab", std::move(command));
}

/// The help of a verb, or of its command that the arguments name.
std::string full_help(const CLI::App& app, const Verb& verb) {
  const bool of_verb = app.get_subcommands().empty();
  // The parser puts two empty lines between groups.
  return CLI::detail::find_and_replace(app.help(), "\n\n\n", "\n\n") +
         (of_verb ? examples_text(verb.examples(), help_columns()) : "");
}

/// `app` has parsed what it could: the help that is named is that of the innermost subcommand.
int usage_error(Context& context, const CLI::App& app, const std::string& what) {
  std::string command = app.get_name();
  const CLI::App* inner = &app;
  while (!inner->get_subcommands().empty()) {
    inner = inner->get_subcommands().front();
    command += " " + inner->get_name();
  }
  context.err << fmt::format("{0}: {1}; '{0} --help' lists the options\n", command, what);
  return own_failure(context, exit_usage);
}

}  // namespace

std::string own_executable(const Context& context) {
  std::string self;
  return context.os.read_link("/proc/self/exe", self) < 0 ? context.program : self;
}

std::string companion(const Context& context, const std::string& name) {
  const std::string self = own_executable(context);
  const std::size_t slash = self.rfind('/');
  if (slash == std::string::npos) return name;
  const std::string folder = self.substr(0, slash + 1);
  for (const char* there : {"", "../libexec/homenode/", "../../bin/"}) {
    std::string found = fmt::format("{}{}{}", folder, there, name);
    const int result = context.os.check_executable(found);
    if (result != -ENOENT && result != -ENOTDIR) return found;
  }
  return name;
}

int run_companion(Context& context, const std::string& verb, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), companion(context, "homenode-" + verb));
  const int status = context.os.execute(arguments);
  const std::vector<std::string> known = verb_names();
  if (status == -ENOENT && std::ranges::find(known, verb) != known.end()) {
    return report(
        context, verb,
        not_supported(fmt::format("homenode-{} is neither beside homenode nor on PATH", verb),
                      "install homenode whole, with its Python part")
            .take());
  }
  if (status == -ENOENT) {
    context.err << fmt::format(
        "homenode: there is no verb '{}'{}, built in or as 'homenode-{}' on PATH; 'homenode "
        "--help' lists the verbs\n",
        verb, did_you_mean(verb, known), verb);
    return exit_usage;
  }
  return report(context, verb,
                failed("cannot start " + arguments.front(),
                       "check that it is an executable file for this machine", -status)
                    .take());
}

int become_native(Context& context, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), companion(context, "homenode-native"));
  const int status = context.os.execute(arguments);
  context.err << "homenode: "
              << failed("cannot start " + arguments.front(),
                        "it is a part of homenode; reinstall homenode", -status)
                     .take()
                     .message()
              << '\n';
  return own_failure(context, exit_failed);
}

int run_guarded(Context& context, const std::function<int()>& command) {
  try {
    const int code = command();
    context.out.flush();
    if (context.out) return code;
    context.err << "homenode: cannot write the output; is the disk full or the pipe closed?\n";
  } catch (const std::bad_alloc&) {
    context.err << "homenode: out of memory; free some, or raise the limit (ulimit -v)\n";
  } catch (const std::exception& error) {
    context.err << "homenode: " << error.what() << '\n';
  }
  return own_failure(context, exit_failed);
}

int invoke(Context& context, Verb& verb, const std::vector<std::string>& arguments) {
  context.arguments = arguments;
  context.arguments.insert(context.arguments.begin(), verb.name());
  CLI::App app{verb.summary(), "homenode " + verb.name()};
  app.formatter(help_formatter(help_columns()));
  LabOptions lab;
  define_lab_options(app, lab);
  verb.define(app);
  ProgramLine line{arguments, {}};
  if (verb.runs_program() && arguments.empty()) {
    context.err << full_help(app, verb);
    return exit_usage;
  }
  if (verb.runs_program()) {
    auto split = split_program_line(app, arguments, [&verb](const std::string& argument) {
      return verb.launcher_arguments(argument);
    });
    context.names_program = !split || verb.is_program(split->program);  // If it cannot be known.
    if (!split) return report(context, verb.name(), split.error());
    line = std::move(*split);
  }
  std::vector<std::string> reversed(line.options.rbegin(), line.options.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    context.out << full_help(app, verb);
    return exit_done;
  } catch (const CLI::ParseError& error) {
    return usage_error(context, app, misuse(app, error));
  }
  const bool scaled = app.count("--scale") > 0;
  if (scaled && app.count("--machine") == 0) {
    return usage_error(context, app, "--scale only works with --machine");
  }
  if (app.count("--machine") > 0) {
    if (lab.machine.empty())
      return usage_error(context, app, "--machine needs the name or the file of a machine");
    if (scaled && lab.scale.empty()) return usage_error(context, app, "--scale needs a number");
    std::vector<std::string> inner = without("--scale", without("--machine", line.options));
    inner.insert(inner.begin(), verb.name());
    if (verb.runs_program()) {
      inner.push_back("--");
      inner.insert(inner.end(), line.program.begin(), line.program.end());
    }
    std::vector<std::string> outputs;
    add_outputs(app, outputs);
    return run_in_lab(context, lab, outputs, verb.runs_program(), inner);
  }
  verb.take_program(std::move(line.program));
  return verb.run(context);
}

}  // namespace homenode::cli
