// homenode bench stress: who may move pages and threads while it runs: the kernel's balancing,
// numad and `homenode balance`, switched on or off for a run and put back after it by a process of
// its own, which outlives the program just so long, also when that is killed.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/os.h"
#include "trial/stress/options.h"

namespace homenode::trial {

class StressDaemons {
 public:
  /// Switches the kernel's balancing as the mode has it, and starts the daemon of the mode, which
  /// looks every `interval_s` seconds. numad leaves processes alone that are younger than 300 s
  /// unless it is as old itself; so it starts in a time namespace in which it is, where this
  /// process may make one. `homenode balance` is this command itself, and looks at the caller
  /// alone. pre: the caller has one thread; mode is not `system`. Errors: not_supported without
  /// numad, balancing, or the privilege for them; failed when a numad runs that is not this one, or
  /// when a daemon does not stay.
  static Result<StressDaemons> start(os::Os& os, StressMode mode, unsigned interval_s);
  StressDaemons(StressDaemons&& other) noexcept;
  StressDaemons& operator=(StressDaemons&&) = delete;
  /// Back when all is as it was before.
  ~StressDaemons();

 private:
  StressDaemons(pid_t keeper, int socket) : keeper_(keeper), socket_(socket) {}
  pid_t keeper_;
  int socket_;
};

}  // namespace homenode::trial
