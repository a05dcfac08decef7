#include "cli/dispatch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cli/man.h"
#include "cli/program_line.h"

namespace homenode::cli {
namespace {

constexpr const char* version = HOMENODE_VERSION;

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string text =
      "homenode shows where memory lives and who uses it, and puts threads and memory where a\n"
      "program runs fastest, on any NUMA Linux machine, real or virtual.\n\n"
      "Usage: homenode VERB [OPTIONS] …\n\nVerbs:\n";
  for (const auto& verb : verbs)
    text += fmt::format("  {:<10} {}\n", verb->name(), verb->summary());
  for (const auto& verb : external_verbs())
    text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
  text +=
      "\nAny verb takes --machine NAME|FILE: it then runs inside the lab on that virtual machine.\n"
      "'homenode VERB --help' explains a verb, 'homenode --version' prints the version.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here.\n";
  return text;
}

/// The companion `homenode-NAME`: beside this command first, then wherever PATH has it.
std::string companion(const Context& context, const std::string& name) {
  std::error_code ignored;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.empty()) self = context.program;
  const std::filesystem::path beside = self.parent_path() / ("homenode-" + name);
  if (access(beside.c_str(), X_OK) == 0) return beside.string();
  return "homenode-" + name;
}

int run_companion(Context& context, const std::string& name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), companion(context, name));
  const int status = context.os.execute(arguments);
  if (status == -ENOENT) {
    context.err << fmt::format(
        "homenode: there is no verb '{}', built in or as 'homenode-{}' on PATH; 'homenode --help' "
        "lists the verbs\n",
        name, name);
    return exit_usage;
  }
  return report(context, name, failed("cannot start " + arguments.front(), "", -status).take());
}

/// Words without their first --machine and its value.
std::vector<std::string> without_machine(std::vector<std::string> words) {
  const auto option = std::find_if(words.begin(), words.end(), [](const std::string& text) {
    return text == "--machine" || text.starts_with("--machine=");
  });
  if (option == words.end()) return words;
  const auto values = *option == "--machine" && option + 1 != words.end() ? 2 : 1;
  words.erase(option, option + values);
  return words;
}

/// Runs `inner`, a command line without --machine, inside the lab.
int run_in_lab(Context& context, const std::string& machine,
               const std::vector<std::string>& inner) {
  std::error_code ignored;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::vector<std::string> command{"run", "--machine", machine, "--",
                                   self.empty() ? context.program : self.string()};
  command.insert(command.end(), inner.begin(), inner.end());
  return run_companion(context, "lab", std::move(command));
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
  return exit_usage;
}

/// `words` are those after the verb's name.
int run_built_in(Context& context, Verb& verb, const std::vector<std::string>& words) {
  CLI::App app{verb.summary(), "homenode " + verb.name()};
  std::string machine;
  define_machine_option(app, machine);
  verb.define(app);
  ProgramLine line{words, {}};
  if (verb.runs_program()) {
    auto split = split_program_line(app, words);
    if (!split) return report(context, verb.name(), split.error());
    line = std::move(*split);
  }
  std::vector<std::string> reversed(line.options.rbegin(), line.options.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    context.out << app.help();
    return exit_done;
  } catch (const CLI::ParseError& error) {
    return usage_error(context, app, error.what());
  }
  if (app.count("--machine") > 0) {
    if (machine.empty()) return usage_error(context, app, "--machine names no machine");
    std::vector<std::string> inner = without_machine(line.options);
    inner.insert(inner.begin(), verb.name());
    if (verb.runs_program()) {
      inner.push_back("--");
      inner.insert(inner.end(), line.program.begin(), line.program.end());
    }
    return run_in_lab(context, machine, inner);
  }
  verb.take_program(std::move(line.program));
  return verb.run(context);
}

}  // namespace

int dispatch(Context& context, std::vector<std::string> arguments) {
  const auto verbs = built_in_verbs();
  if (arguments.empty()) {
    context.err << overview(verbs);
    return exit_usage;
  }
  const std::string name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    if (name == "help" && arguments.size() > 1) return dispatch(context, {arguments[1], "--help"});
    context.out << overview(verbs);
    return exit_done;
  }
  if (name == "--version") {
    context.out << "homenode " << version << '\n';
    return exit_done;
  }
  if (name == "--man-page" && arguments.size() == 2) {
    return print_man_page(context, arguments[1]);
  }
  for (const auto& verb : verbs) {
    if (verb->name() == name) {
      return run_built_in(context, *verb, {arguments.begin() + 1, arguments.end()});
    }
  }
  if (name.starts_with("-") && arguments.size() > 1) {
    context.err << fmt::format(
        "homenode: options such as '{}' stand after the verb; 'homenode --help' lists the verbs\n",
        name);
    return exit_usage;
  }
  if (name.starts_with("-") || name.find('/') != std::string::npos) {
    context.err << fmt::format("homenode: '{}' is not a verb; 'homenode --help' lists the verbs\n",
                               name);
    return exit_usage;
  }
  arguments.erase(arguments.begin());
  return run_companion(context, name, std::move(arguments));
}

}  // namespace homenode::cli
