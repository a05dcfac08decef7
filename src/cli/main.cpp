// The command `homenode`: small, so that what it starts is started at once. It has the verbs whose
// start is part of what people measure, its own help and version, and becomes homenode-native for
// all else;
// docs/decisions/0010 says why.
#include <iostream>
#include <memory>

#include "cli/invoke.h"
#include "cli/table.h"
#include "os/linux.h"

namespace homenode::cli {
namespace {

/// A verb may stand here when it reaches hwloc through Context::full_machine alone: this command is
/// not linked with it, and a test fails if it is.
std::unique_ptr<Verb> quick_verb(const std::string& name) {
  if (name == "run") return make_run();
  if (name == "where") return make_where();
  return nullptr;
}

int start(Context& context, const std::vector<std::string>& arguments) {
  if (answers_alone(context.out, arguments)) return exit_done;
  const auto verb = arguments.empty() ? nullptr : quick_verb(arguments.front());
  if (!verb) return become_native(context, arguments);
  return invoke(context, *verb, {arguments.begin() + 1, arguments.end()});
}

}  // namespace
}  // namespace homenode::cli

int main(int argc, char** argv) {
  homenode::os::Linux os;
  homenode::cli::Context context{os, std::cout, std::cerr, argv[0]};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return homenode::cli::run_guarded(context,
                                    [&] { return homenode::cli::start(context, arguments); });
}
