// The page of the command itself, homenode(1).
#include "cli/man.h"
#include "cli/roff.h"

namespace homenode::cli {
namespace {

struct Line {
  const char* term;
  const char* text;
};

constexpr Line options[] = {
    {"-h, --help", "List the verbs; after a verb, explain it."},
    {"--version", "Print the version."},
    {"--machine NAME|FILE",
     "Given after a verb: run it inside the lab on this virtual machine, which is a name of the "
     "catalogue ('homenode lab list') or an hwloc XML file."},
    {"--scale N",
     "Given after a verb with --machine: divide that machine's caches and memory by N, so that a "
     "small problem shows what a large one would."},
    {"--json", "Given after a verb: print JSON."},
    {"--man-page VERB|-",
     "Print the man page of a built-in verb, or of homenode, in roff; of - that of a description "
     "as 'python3 -m homenode.man' prints it."},
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
    {"~/.cache/homenode", "Kernels for the lab, and what it unpacked of them."},
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
             "A word that is no verb of these is run as the program homenode-VERB.") +
         "\n" + verbs + section("OPTIONS", options) + roff::exit_status(false) +
         environment_section() + section("FILES", files) +
         roff::examples({{"homenode topology", "What this machine is"},
                         {"homenode run --interleave=all -- ls",
                          "A program whose memory is spread over all nodes"},
                         {"homenode bench map --machine quad-4x2 --size 1m",
                          "Who uses which memory, on a virtual machine of four nodes"}}) +
         roff::see_also(pages);
}

}  // namespace homenode::cli
