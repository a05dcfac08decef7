// The command `homenode`: small, so that what it starts is started at once. It has the verbs of
// verbs_quick.cpp and becomes homenode-native for all else; docs/decisions/0010 says why.
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
  const std::vector<std::string> words(argv + 1, argv + argc);
  return homenode::cli::run_guarded(context, [&] { return homenode::cli::start(context, words); });
}
