// The command `homenode`: small, so that what it starts is started at once. It has the verbs of
// verbs_quick.cpp and becomes homenode-native for all else; docs/decisions/0010 says why.
#include <exception>
#include <iostream>

#include "cli/invoke.h"
#include "cli/verbs_quick.h"
#include "os/linux.h"

namespace homenode::cli {
namespace {

int start(Context& context, const std::vector<std::string>& words) {
  for (const auto& verb : quick_verbs()) {
    if (!words.empty() && verb->name() == words.front()) {
      return invoke(context, *verb, {words.begin() + 1, words.end()});
    }
  }
  return become_native(context, words);
}

}  // namespace
}  // namespace homenode::cli

int main(int argc, char** argv) {
  homenode::os::Linux os;
  homenode::cli::Context context{os, std::cout, std::cerr, argv[0]};
  try {
    const int code = homenode::cli::start(context, std::vector<std::string>(argv + 1, argv + argc));
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
