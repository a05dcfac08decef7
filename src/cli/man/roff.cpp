#include "cli/man/roff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace homenode::cli::roff {

namespace {

/// The character that begins at `at`, which moves behind it. pre: UTF-8 of two bytes or more.
unsigned take_character(const std::string& text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at++);
  unsigned character = first >= 0xf0   ? first & 0x07U
                       : first >= 0xe0 ? first & 0x0fU
                                       : first & 0x1fU;
  for (; at < text.size() && (byte(at) & 0xc0U) == 0x80U; ++at) {
    character = character << 6U | (byte(at) & 0x3fU);
  }
  return character;
}

}  // namespace

std::string escape(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      escaped += fmt::format("\\[u{:04X}]", take_character(text, at));
      continue;
    }
    const char c = text[at++];
    switch (c) {
      case '\\':
        escaped += "\\(rs";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':  // A control character at the start of a line, a curly quote elsewhere.
        escaped += "\\(aq";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '.':
        escaped += escaped.empty() || escaped.back() == '\n' ? "\\&." : ".";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string bold(const std::string& text) {
  return "\\fB" + escape(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + escape(text) + "\\fR";
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (text.back() != '.') text += '.';
  return text;
}

std::string head(const std::string& page, const std::string& summary) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".TH {} 1 \"\" \"homenode {}\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH "
      "SYNOPSIS\n",
      escape(title), escape(HOMENODE_VERSION), escape(page), escape(summary));
}

std::string entry(const std::string& term, const std::string& text) {
  return ".TP\n" + term + "\n" + escape(text) + "\n";
}

std::string examples(const std::vector<Example>& examples) {
  if (examples.empty()) return {};
  std::string section = ".SH EXAMPLES\n";
  for (const Example& example : examples) {
    section += fmt::format("{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n.PP\n", escape(example.what),
                           bold(example.command));
  }
  section.resize(section.size() - 4);  // The last ".PP\n" would stand before a heading.
  return section;
}

std::string exit_status(bool runs_program) {
  std::string section = ".SH EXIT STATUS\n" + entry(bold("0"), "Done.") +
                        entry(bold("1"), "Failed; one line on the standard error says why.") +
                        entry(bold("2"), "Bad usage.") + entry(bold("3"), "Not supported here.");
  if (!runs_program) return section;
  return section +
         entry(bold("125"),
               "In place of 1 to 3 where a program is named, or an option before it is unknown: "
               "these are then the program's.") +
         entry(bold("126"), "The program cannot be executed.") +
         entry(bold("127"), "The program was not found.") +
         entry("other", "The program's own exit code, once it has started.");
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string section;
  for (const std::string& page : pages) {
    const std::size_t bracket = page.find('(');
    section += (section.empty() ? "" : ",\n") + bold(page.substr(0, bracket)) +
               (bracket == std::string::npos ? "" : page.substr(bracket));
  }
  return ".SH SEE ALSO\n" + section + "\n";
}

}  // namespace homenode::cli::roff
