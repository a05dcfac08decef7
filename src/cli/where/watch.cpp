#include "cli/where/watch.h"

namespace homenode::cli {
namespace {

constexpr const char* home_and_clear = "\033[H\033[J";

}  // namespace

Result<void> watch(Context& context, const Watch& watch, const os::Pace& pace) {
  bool first = true;
  while (!pace.stopped()) {
    auto picture = watch.draw();
    // A process may end between two files: what was read then is not worth an error.
    if (!first && !watch.runs()) {
      context.err << "homenode where: the process has ended\n";
      return {};
    }
    if (!picture) return picture.as_unexpected();
    if (watch.on_terminal) context.out << home_and_clear;
    context.out << *picture << std::flush;
    if (!context.out) return {};  // The pipe is closed: main() says so.
    first = false;
    pace.pause(watch.every);
  }
  return {};
}

}  // namespace homenode::cli
