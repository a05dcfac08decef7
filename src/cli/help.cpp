#include "cli/help.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/words.h"

namespace homenode::cli {
namespace {

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

std::size_t help_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return std::clamp<std::size_t>(size.ws_col, fewest_columns, most_columns);
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
