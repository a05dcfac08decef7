// homenode bench stress: who may move pages and threads while it runs: the kernel's balancing and
// numad, switched on or off for a run and put back after it by a process of its own, which outlives
// the program just so long, also when that is killed.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/os.h"

namespace homenode::trial {

struct WantedDaemons {
  bool kernel_balancing = false;
  bool numad = false;
  unsigned numad_interval_s = 5;  ///< Its -i.
};

class StressDaemons {
 public:
  /// Switches the kernel's balancing as wanted and starts numad where wanted. numad leaves
  /// processes alone that are younger than 300 s unless it is as old itself; so it starts in a time
  /// namespace in which it is, where this process may make one. pre: the caller has one thread.
  /// Errors: not_supported without numad, balancing, or the privilege for them; failed when a numad
  /// runs that is not this one, or when numad does not stay.
  static Result<StressDaemons> start(os::Os& os, const WantedDaemons& wanted);
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
