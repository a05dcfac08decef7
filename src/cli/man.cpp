#include "cli/man.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace homenode::cli {
namespace {

/// Roff treats a leading dot and every backslash and hyphen specially.
std::string escape(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\')
      escaped += "\\\\";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '.' && (escaped.empty() || escaped.back() == '\n'))
      escaped += "\\&.";
    else
      escaped += c;
  }
  return escaped;
}

std::string option_entry(const CLI::Option& option) {
  std::string names = option.get_name(true, true);
  if (option.get_positional()) names = option.get_name(true);
  std::string type;
  if (option.get_items_expected_max() > 0) {
    type = " \\fI" + escape(option.get_type_name()) + "\\fR";
  }
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escape(names), type,
                     escape(option.get_description()));
}

std::string option_entries(const CLI::App& app) {
  std::string entries;
  for (const CLI::Option* option : app.get_options()) entries += option_entry(*option);
  return entries;
}

/// The sub-words of a verb, such as the workloads of bench, each with options of its own.
std::string command_sections(const CLI::App& app) {
  std::string sections;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    sections += fmt::format(".SS {}\n{}\n{}", escape(command->get_name()),
                            escape(command->get_description()), option_entries(*command));
  }
  return sections.empty() ? "" : ".SH COMMANDS\n" + sections;
}

}  // namespace

std::string man_page(const Verb& verb, const CLI::App& app) {
  std::string upper = verb.name();
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string page = fmt::format(
      ".TH HOMENODE\\-{} 1 \"\" \"homenode {}\" \"User Commands\"\n"
      ".SH NAME\nhomenode\\-{} \\- {}\n.SH SYNOPSIS\n\\fBhomenode {}\\fR [\\fIOPTIONS\\fR] \\&...\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      upper, HOMENODE_VERSION, verb.name(), escape(verb.summary()), verb.name(),
      escape(app.get_footer().empty() ? verb.summary() : app.get_footer()));
  page += option_entries(app) + command_sections(app);
  page +=
      ".SH EXIT STATUS\n0 done, 1 failed, 2 bad usage, 3 not supported here.\n"
      ".SH SEE ALSO\n\\fBhomenode\\fR(1), \\fBnumactl\\fR(8), \\fBhwloc\\fR(7)\n";
  return page;
}

int print_man_page(Context& context, const std::string& verb_name) {
  for (const auto& verb : built_in_verbs()) {
    if (verb->name() != verb_name) continue;
    CLI::App app{verb->summary(), "homenode " + verb->name()};
    std::string machine;
    define_machine_option(app, machine);
    verb->define(app);
    context.out << man_page(*verb, app);
    return exit_done;
  }
  context.err << "homenode: no built-in verb '" << verb_name << "' to make a man page of\n";
  return exit_usage;
}

}  // namespace homenode::cli
