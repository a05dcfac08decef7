#include "cli/dispatch.h"

#include <fmt/format.h>

#include "cli/balance/balance.h"
#include "cli/bench/table.h"
#include "cli/invoke.h"
#include "cli/man/man.h"
#include "cli/table.h"

namespace homenode::cli {
namespace {

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
  if (arguments.empty()) {
    context.err << overview();
    return exit_usage;
  }
  if (answers_alone(context.out, arguments)) return exit_done;
  const std::string name = arguments.front();
  if (name == "help") return dispatch(context, {arguments[1], "--help"});
  const bool as_json = name == "--describe-verb";
  if ((name == "--man-page" || as_json) && arguments.size() == 2) {
    return print_man_page(context, arguments[1], as_json);
  }
  for (const auto& verb : built_in_verbs()) {
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
