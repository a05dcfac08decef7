#include "cli/man.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/roff.h"

namespace homenode::cli {
namespace {

/// The value that an option takes, without the parser's word for its C++ type.
std::string value_name(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (type == "UINT" || type == "INT") return "N";
  const std::size_t choices = type.find(":{");
  if (choices == std::string::npos) return type;
  type = type.substr(choices + 2, type.size() - choices - 3);
  std::replace(type.begin(), type.end(), ',', '|');
  return type;
}

/// "-m, --membind NODES" with the names bold and the value in italics.
std::string term(const CLI::Option& option) {
  std::string names;
  const auto add = [&names](const std::string& name) {
    names += (names.empty() ? "" : ", ") + roff::bold(name);
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (names.empty()) names = roff::italic(option.get_name(true));
  if (option.get_items_expected_max() > 0) names += " " + roff::italic(value_name(option));
  return names;
}

std::string option_entries(const CLI::App& app) {
  std::string entries;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // Hidden from the help too.
    std::string text = roff::sentence(option->get_description());
    if (!option->get_default_str().empty()) text += " Default: " + option->get_default_str() + ".";
    entries += roff::entry(term(*option), text);
  }
  return entries;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string synopsis(const Verb& verb, const CLI::App& app) {
  const std::string start = roff::bold("homenode " + verb.name()) + " [\\fIOPTIONS\\fR]";
  if (verb.runs_program()) {
    return start + " [\\fB\\-\\-\\fR] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR \\&...]\n";
  }
  std::string lines = start + "\n";
  for (const CLI::App* command : commands_of(app)) {
    lines += ".br\n" + roff::bold("homenode " + verb.name() + " " + command->get_name()) +
             " [\\fIOPTIONS\\fR]\n";
  }
  return lines;
}

/// The sub-words of a verb, such as the workloads of bench, each with options of its own.
std::string command_sections(const CLI::App& app) {
  std::string sections;
  for (const CLI::App* command : commands_of(app)) {
    sections += fmt::format(".SS {}\n{}\n{}", roff::escape(command->get_name()),
                            roff::escape(roff::sentence(command->get_description())),
                            option_entries(*command));
  }
  return sections.empty() ? "" : ".SH COMMANDS\n" + sections;
}

}  // namespace

std::string man_page(const Verb& verb, const CLI::App& app) {
  return roff::head("homenode-" + verb.name(), verb.summary()) + synopsis(verb, app) +
         ".SH DESCRIPTION\n" + roff::escape(app.get_footer()) + "\n.SH OPTIONS\n" +
         option_entries(app) + command_sections(app) + roff::exit_status(verb.runs_program()) +
         roff::examples(verb.examples()) +
         roff::see_also({"homenode(1)", "numactl(8)", "lstopo(1)", "numa(7)"});
}

int print_man_page(Context& context, const std::string& name) {
  if (name == "homenode") {
    context.out << top_man_page();
    return exit_done;
  }
  for (const auto& verb : built_in_verbs()) {
    if (verb->name() != name) continue;
    CLI::App app{verb->summary(), "homenode " + verb->name()};
    LabOptions lab;
    define_lab_options(app, lab);
    verb->define(app);
    context.out << man_page(*verb, app);
    return exit_done;
  }
  for (const ExternalVerb& verb : external_verbs()) {
    if (verb.name != name) continue;
    context.err << fmt::format(
        "homenode: '{0}' is written in Python; 'python3 -m homenode.man {0}' "
        "prints its man page\n",
        name);
    return exit_usage;
  }
  context.err << "homenode: there is no verb '" << name
              << "' to make a man page of; 'homenode --help' lists the verbs\n";
  return exit_usage;
}

}  // namespace homenode::cli
