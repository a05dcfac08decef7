// What all verbs share.
#include "cli/verb.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/words.h"
#include "os/linux.h"

namespace homenode::cli {
namespace {

struct Row {
  std::string_view name;
  std::string_view language;
  const char* summary;
};

constexpr Row table[] = {
#include "verbs.inc"
};

constexpr std::size_t usual_columns = 80;
constexpr std::size_t fewest_columns = 40;
constexpr std::size_t most_columns = 100;
constexpr std::size_t names_columns = 26;

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t columns) : columns_(columns) {}

  [[nodiscard]] std::string make_option(const CLI::Option* option,
                                        bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }

  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(true), command->get_description());
  }

  [[nodiscard]] std::string make_description(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_description(app), columns_, 0);
  }

  [[nodiscard]] std::string make_footer(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_footer(app), columns_, 0);
  }

 private:
  /// The text stands beside the names, or below them where they are long.
  [[nodiscard]] std::string entry(const std::string& names, const std::string& text) const {
    std::string lines = "  " + names;
    if (lines.size() + 2 > names_columns) {
      lines += "\n" + std::string(names_columns, ' ');
    } else {
      lines.resize(names_columns, ' ');
    }
    return lines + wrapped(text, columns_ - names_columns, names_columns) + "\n";
  }

  std::size_t columns_;
};

}  // namespace

std::string Verb::summary() const {
  for (const Row& row : table) {
    if (row.name == name()) return row.summary;
  }
  return {};
}

std::vector<ExternalVerb> external_verbs() {
  std::vector<ExternalVerb> verbs;
  for (const Row& row : table) {
    if (row.language == "Python") verbs.push_back({std::string(row.name), row.summary});
  }
  return verbs;
}

os::Pace pace_of(const Context& context) {
  return context.pace != nullptr ? *context.pace : os::StopSignals::pace();
}

std::string overview() {
  std::string text =
      "homenode shows where memory lives and who uses it, and puts threads and memory where a\n"
      "program runs fastest, on any NUMA Linux machine, real or virtual.\n\n"
      "Usage: homenode VERB [OPTIONS] …\n\nVerbs:\n";
  for (const Row& row : table) text += fmt::format("  {:<10} {}\n", row.name, row.summary);
  text +=
      "\nAny verb takes --machine NAME|FILE: it then runs inside the lab on that virtual machine,\n"
      "which --scale N makes N times smaller.\n"
      "'homenode VERB --help' explains a verb, 'homenode --version' prints the version.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here; 125 beside a program.\n";
  return text;
}

bool answers_alone(std::ostream& out, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || (name == "help" && arguments.size() == 1)) {
    out << overview();
    return true;
  }
  if (name != "--version") return false;
  out << "homenode " HOMENODE_VERSION "\n";
  return true;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

void define_lab_options(CLI::App& app, LabOptions& options) {
  app.add_option("--machine", options.machine,
                 "run inside the lab on this virtual machine (name or file)")
      ->type_name("NAME|FILE");
  app.add_option("--scale", options.scale,
                 "with --machine: divide its caches and memory by N, so that a small problem shows "
                 "what a large one would")
      ->type_name("N");
}

int own_failure(const Context& context, int usual) {
  return context.names_program ? exit_launcher_failed : usual;
}

int report(Context& context, const std::string& verb, const Error& error) {
  context.err << "homenode " << verb << ": " << error.message() << '\n';
  switch (error.code) {
    case ErrorCode::bad_usage:
      return own_failure(context, exit_usage);
    case ErrorCode::not_supported:
      return own_failure(context, exit_not_supported);
    case ErrorCode::failed:
      break;
  }
  return own_failure(context, exit_failed);
}

int finish(Context& context, const std::string& verb, const Result<void>& done) {
  return done ? exit_done : report(context, verb, done.error());
}

std::size_t help_columns() {
  const std::size_t columns = os::terminal_columns();
  return columns == 0 ? usual_columns : std::clamp(columns, fewest_columns, most_columns);
}

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::string lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    std::size_t used = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      if (used > 0 && used + 1 + word.size() > columns) {
        lines += "\n" + std::string(indent, ' ');
        used = 0;
      }
      if (used > 0) lines += ' ';
      lines += word;
      used += word.size() + (used > 0 ? 1 : 0);
    }
    if (!rest.empty() || text.ends_with('\n')) lines += '\n';
  }
  return lines;
}

std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t columns) {
  return std::make_shared<HelpFormatter>(columns);
}

std::string examples_text(const std::vector<Example>& examples, std::size_t columns) {
  if (examples.empty()) return {};
  std::string text = "\nExamples:\n";
  for (const Example& example : examples) {
    text += "  " + example.command + "\n      " + wrapped(example.what, columns - 6, 6) + "\n";
  }
  return text;
}

}  // namespace homenode::cli
