// Showing a process again and again until it ends or the person does. Serves the verb `where`.
#pragma once

#include <functional>

#include "cli/verb.h"
#include "os/pace.h"

namespace homenode::cli {

/// How the watch shows and whether it goes on.
struct Watch {
  std::chrono::nanoseconds every{};
  bool on_terminal = false;  ///< Then each picture is drawn over the one before.
  /// The picture of now. Errors: those of reading the process.
  std::function<Result<std::string>()> draw;
  /// The process that was first drawn still runs.
  std::function<bool()> runs;
};

/// Draws at once and then every so often. It is done when the process has ended, which it says on
/// the error stream, or when the person stops it. Errors: of a picture while the process runs.
Result<void> watch(Context& context, const Watch& watch, const os::Pace& pace);

}  // namespace homenode::cli
