#include "cli/man/man.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "cli/dispatch.h"
#include "cli/man/roff.h"

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

/// "-m" and "--membind"; nothing for an argument.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// "-m, --membind NODES" with the names bold and the value in italics.
std::string term(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : names_of(option)) {
    names += (names.empty() ? "" : ", ") + roff::bold(name);
  }
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

/// The commands of a verb, such as the workloads of bench, each with options of its own.
std::string command_sections(const CLI::App& app) {
  std::string sections;
  for (const CLI::App* command : commands_of(app)) {
    sections += fmt::format(".SS {}\n{}\n{}", roff::escape(command->get_name()),
                            roff::escape(roff::sentence(command->get_description())),
                            option_entries(*command));
  }
  return sections.empty() ? "" : ".SH COMMANDS\n" + sections;
}

using ManJson = nlohmann::json;

/// [["bold", "homenode lab run"], ["italic", "FILE"], ["plain", "..."]] as a line: the command and
/// what has to follow its options.
std::string synopsis_line(const ManJson& parts) {
  std::string line;
  for (const ManJson& part : parts) {
    const auto kind = part.at(0).get<std::string>();
    const auto text = part.at(1).get<std::string>();
    if (line.empty()) {
      line = roff::bold(text) + " [\\fIOPTIONS\\fR]";
      continue;
    }
    line += ' ';
    line += kind == "bold"     ? roff::bold(text)
            : kind == "italic" ? roff::italic(text)
                               : roff::escape(text);
  }
  return line;
}

std::string described_entries(const ManJson& options) {
  std::string entries;
  for (const ManJson& option : options) {
    std::string names;
    for (const ManJson& name : option.at("names")) {
      names += (names.empty() ? "" : ", ") + roff::bold(name.get<std::string>());
    }
    const auto value = option.at("value").get<std::string>();
    if (!value.empty()) names += (names.empty() ? "" : " ") + roff::italic(value);
    entries += roff::entry(names, option.at("text").get<std::string>());
  }
  return entries;
}

std::string described_page(const ManJson& page) {
  const auto text = [&page](const char* key) { return page.at(key).get<std::string>(); };
  std::string lines;
  for (const ManJson& line : page.at("synopsis")) {
    lines += (lines.empty() ? "" : ".br\n") + synopsis_line(line) + "\n";
  }
  std::string commands;
  for (const ManJson& command : page.at("commands")) {
    commands += fmt::format(".SS {}\n{}\n{}", roff::escape(command.at("name").get<std::string>()),
                            roff::escape(command.at("text").get<std::string>()),
                            described_entries(command.at("options")));
  }
  std::vector<Example> examples;
  for (const ManJson& example : page.at("examples")) {
    examples.push_back({example.at(0).get<std::string>(), example.at(1).get<std::string>()});
  }
  return roff::head(text("name"), text("summary")) + lines + ".SH DESCRIPTION\n" +
         roff::escape(text("description")) + "\n.SH OPTIONS\n" +
         described_entries(page.at("options")) +
         (commands.empty() ? "" : ".SH COMMANDS\n" + commands) + ".SH EXIT STATUS\n" +
         roff::escape(text("exit_status")) + "\n" + roff::examples(examples) +
         roff::see_also(page.at("see_also").get<std::vector<std::string>>());
}

ManJson described_options(const CLI::App& app) {
  ManJson options = ManJson::array();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const bool takes_value = option->get_items_expected_max() > 0;
    options.push_back({{"names", names_of(*option)},
                       {"value", takes_value ? value_name(*option) : ""},
                       {"text", option->get_description()}});
  }
  return options;
}

/// What completions and pages need of a built-in verb, as 'python3 -m homenode.man' describes the
/// others.
ManJson description_of(const Verb& verb, const CLI::App& app) {
  ManJson commands = ManJson::array();
  for (const CLI::App* command : commands_of(app)) {
    commands.push_back({{"name", command->get_name()},
                        {"text", command->get_description()},
                        {"options", described_options(*command)}});
  }
  ManJson examples = ManJson::array();
  for (const Example& example : verb.examples()) {
    examples.push_back(ManJson::array({example.command, example.what}));
  }
  return {{"name", "homenode-" + verb.name()},  {"summary", verb.summary()},
          {"description", app.get_footer()},    {"examples", examples},
          {"options", described_options(app)},  {"commands", commands},
          {"runs_program", verb.runs_program()}};
}

struct Line {
  const char* term;
  const char* text;
};

constexpr Line common_options[] = {
    {"-h, --help", "List the verbs; after a verb, explain that verb."},
    {"--version", "Print the version."},
    {"--machine NAME|FILE",
     "After a verb: run it inside the lab on this virtual machine, a name from the catalogue "
     "('homenode lab list') or an hwloc XML file."},
    {"--scale N",
     "After a verb, with --machine: divide the machine's caches and memory by N, so that a "
     "small problem shows what a large one would."},
    {"--json", "After a verb: print JSON."},
    {"--man-page VERB|-",
     "Print in roff the man page of a built-in verb or of homenode; with -, that of the "
     "description on the standard input, as 'python3 -m homenode.man' prints it."},
    {"--describe-verb VERB",
     "Print what a built-in verb says of itself, in JSON: for completions and pages."},
};

struct Variable {
  const char* name;
  const char* parts;
  const char* use;
  const char* meaning;
};

constexpr Variable variables[] = {
#include "environment.inc"
};

constexpr Line files[] = {
    {"~/.cache/homenode", "Kernels for the lab, and the parts that it unpacked."},
    {"results/NAME/records.jsonl", "The records of the study NAME, one line per case."},
};

template <std::size_t count>
std::string section(const char* title, const Line (&lines)[count]) {
  std::string text = std::string(".SH ") + title + "\n";
  for (const Line& line : lines) text += roff::entry(roff::bold(line.term), line.text);
  return text;
}

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const Variable& variable : variables) {
    text += roff::entry(roff::bold(variable.name), variable.meaning);
  }
  return text;
}

}  // namespace

Result<std::string> man_page(const std::string& description) {
  try {
    return described_page(ManJson::parse(description));
  } catch (const ManJson::exception& error) {
    return bad_usage(fmt::format("cannot read the description of a verb: {}", error.what()),
                     "pass what 'python3 -m homenode.man VERB' prints");
  }
}

std::string man_page(const Verb& verb, const CLI::App& app) {
  return roff::head("homenode-" + verb.name(), verb.summary()) + synopsis(verb, app) +
         ".SH DESCRIPTION\n" + roff::escape(app.get_footer()) + "\n.SH OPTIONS\n" +
         option_entries(app) + command_sections(app) + roff::exit_status(verb.runs_program()) +
         roff::examples(verb.examples()) +
         roff::see_also({"homenode(1)", "numactl(8)", "lstopo(1)", "numa(7)"});
}

std::string top_man_page() {
  std::string verbs = ".SH VERBS\n";
  std::vector<std::string> pages;
  const auto add = [&](const std::string& name, const std::string& summary) {
    verbs += roff::entry(roff::bold(name), roff::sentence(summary));
    pages.push_back("homenode-" + name + "(1)");
  };
  for (const auto& verb : built_in_verbs()) add(verb->name(), verb->summary());
  for (const ExternalVerb& verb : external_verbs()) add(verb.name, verb.summary);
  pages.insert(pages.end(), {"numactl(8)", "lstopo(1)", "numa(7)"});
  return roff::head("homenode", "see and place memory and threads on NUMA machines") +
         "\\fBhomenode\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] \\&...\n.SH DESCRIPTION\n" +
         roff::escape(
             "Shows where memory lives and who uses it, and puts threads and memory where a "
             "program runs fastest, on any NUMA Linux machine, real or virtual. "
             "Any other verb is run as the program homenode-VERB.") +
         "\n" + verbs + section("OPTIONS", common_options) + roff::exit_status(false) +
         environment_section() + section("FILES", files) +
         roff::examples(
             {{"homenode topology", "Show this machine"},
              {"homenode run --interleave=all -- ls",
               "Run a program with its memory spread over all nodes"},
              {"homenode bench map --machine quad-4x2 --size 1m",
               "See which node uses which memory, on a virtual machine of four nodes"}}) +
         roff::see_also(pages);
}

int print_man_page(Context& context, const std::string& name, bool as_json) {
  if (name == "homenode" && !as_json) {
    context.out << top_man_page();
    return exit_done;
  }
  if (name == "-" && !as_json) {
    const std::string description{std::istreambuf_iterator<char>(std::cin), {}};
    const auto page = man_page(description);
    if (!page) return report(context, "--man-page", page.error());
    context.out << *page;
    return exit_done;
  }
  for (const auto& verb : built_in_verbs()) {
    if (verb->name() != name) continue;
    CLI::App app{verb->summary(), "homenode " + verb->name()};
    LabOptions lab;
    define_lab_options(app, lab);
    verb->define(app);
    context.out << (as_json ? description_of(*verb, app).dump() + '\n' : man_page(*verb, app));
    return exit_done;
  }
  for (const ExternalVerb& verb : external_verbs()) {
    if (verb.name != name) continue;
    context.err << fmt::format(
        "homenode: '{0}' is written in Python; 'python3 -m homenode.man {0} | homenode --man-page "
        "-' prints its man page\n",
        name);
    return exit_usage;
  }
  context.err << "homenode: there is no verb '" << name
              << "', so there is no man page of it; 'homenode --help' lists the verbs\n";
  return exit_usage;
}

}  // namespace homenode::cli
