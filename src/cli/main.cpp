// The command `homenode`.
#include <exception>
#include <iostream>

#include "cli/dispatch.h"
#include "os/linux.h"

int main(int argc, char** argv) {
  homenode::os::Linux os;
  homenode::cli::Context context{os, std::cout, std::cerr, argv[0]};
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
