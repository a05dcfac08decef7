#include "cli/dispatch.h"

#include <fmt/format.h>

#include <optional>

#include "cli/balance/balance.h"
#include "cli/bench/table.h"
#include "cli/invoke.h"
#include "cli/man/man.h"
#include "cli/table.h"

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
      "\nAny verb takes --machine NAME|FILE: it then runs inside the lab on that virtual machine,\n"
      "which --scale N makes N times smaller.\n"
      "'homenode VERB --help' explains a verb, 'homenode --version' prints the version.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here; 125 beside a program.\n";
  return text;
}

/// What the command answers without a verb; nothing where it is asked for something else.
std::optional<int> answer(Context& context, const std::vector<std::unique_ptr<Verb>>& verbs,
                          const std::vector<std::string>& arguments) {
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    context.out << overview(verbs);
    return exit_done;
  }
  if (name == "--version") {
    context.out << "homenode " << version << '\n';
    return exit_done;
  }
  const bool as_json = name == "--describe-verb";
  if ((name != "--man-page" && !as_json) || arguments.size() != 2) return std::nullopt;
  return print_man_page(context, arguments[1], as_json);
}

int not_a_verb(Context& context, const std::string& name, bool more_follows) {
  if (name.starts_with("-") && more_follows) {
    context.err << fmt::format(
        "homenode: options such as '{}' go after the verb; 'homenode --help' lists the verbs\n",
        name);
  } else {
    context.err << fmt::format("homenode: '{}' is not a verb; 'homenode --help' lists the verbs\n",
                               name);
  }
  return exit_usage;
}

}  // namespace

std::vector<std::unique_ptr<Verb>> built_in_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_topology());
  verbs.push_back(make_measure());
  verbs.push_back(make_bench());
  verbs.push_back(make_run());
  verbs.push_back(make_where());
  verbs.push_back(make_sample());
  verbs.push_back(make_balance());
  return verbs;
}

int dispatch(Context& context, std::vector<std::string> arguments) {
  const auto verbs = built_in_verbs();
  if (arguments.empty()) {
    context.err << overview(verbs);
    return exit_usage;
  }
  const std::string name = arguments.front();
  if (name == "help" && arguments.size() > 1) return dispatch(context, {arguments[1], "--help"});
  if (const auto code = answer(context, verbs, arguments)) return *code;
  for (const auto& verb : verbs) {
    if (verb->name() == name) {
      return invoke(context, *verb, {arguments.begin() + 1, arguments.end()});
    }
  }
  if (name.starts_with("-") || name.find('/') != std::string::npos) {
    return not_a_verb(context, name, arguments.size() > 1);
  }
  arguments.erase(arguments.begin());
  return run_companion(context, name, std::move(arguments));
}

}  // namespace homenode::cli
