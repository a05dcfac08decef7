// homenode-native: every verb that is built in. People start `homenode` (main.cpp), which runs the
// verbs that must start at once and hands the others to this one.
#include <exception>
#include <iostream>

#include "cli/dispatch.h"
#include "machine/load.h"
#include "os/linux.h"

int main(int argc, char** argv) {
  homenode::os::Linux os;
  homenode::cli::Context context{os, std::cout, std::cerr, argv[0], homenode::machine::load_live};
  try {
    const int code =
        homenode::cli::dispatch(context, std::vector<std::string>(argv + 1, argv + argc));
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "homenode: cannot write the output; is the disk full or the pipe closed?\n";
      return homenode::cli::exit_failed;
    }
    return code;
  } catch (const std::exception& error) {
    std::cerr << "homenode: " << error.what() << '\n';
    return homenode::cli::exit_failed;
  }
}
