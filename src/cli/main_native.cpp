// homenode-native: every verb that is built in. People start `homenode` (main.cpp), which runs the
// verbs that must start at once and hands the others to this one.
#include <iostream>

#include "cli/dispatch.h"
#include "cli/invoke.h"
#include "machine/load.h"
#include "os/linux.h"

int main(int argc, char** argv) {
  homenode::os::Linux os;
  homenode::cli::Context context{os, std::cout, std::cerr, argv[0],
                                 homenode::machine::read_live_machine};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return homenode::cli::run_guarded(context,
                                    [&] { return homenode::cli::dispatch(context, arguments); });
}
