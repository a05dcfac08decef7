// The part of the contract about processes that are started: a program that waits before its exec,
// so that it can be watched from its first instruction on, and a guard that undoes a change of the
// system even if the changer is killed. Serves the verb `sample`.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/processes.h"

namespace homenode::os {

/// A child that has not executed its program yet.
struct WaitingProgram {
  pid_t pid = 0;
  int go = -1;       ///< Closed without a word, the child ends.
  int refusal = -1;  ///< Where the child says why it could not execute the program.
};

struct Guard {
  pid_t pid = 0;
  int alive = -1;  ///< The guard acts when nobody holds the other end any more.
};

/// As in os.h, all of these give 0 or -errno. An Os that models none of it gives -ENOSYS.
class Programs {
 public:
  Programs() = default;
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  virtual ~Programs() = default;

  /// Forks a child that will execute `program`, found on PATH, with these variables set too.
  /// pre: the program is not empty.
  virtual int start_waiting(const std::vector<std::string>& /*program*/,
                            const std::vector<std::pair<std::string, std::string>>& /*environment*/,
                            WaitingProgram& /*child*/) {
    return -ENOSYS;
  }
  /// Lets it execute its program; -errno where that cannot be executed: the child ends then.
  virtual int release(WaitingProgram& /*child*/) { return -ENOSYS; }
  /// Ends one that was not released.
  virtual void abandon(WaitingProgram& /*child*/) {}
  /// How a child ended; nothing while it runs. `wait`: until it has.
  virtual std::optional<Ending> ending_of(pid_t /*child*/, bool /*wait*/) { return std::nullopt; }
  virtual int send_signal(pid_t /*process*/, int /*signal*/) { return -ENOSYS; }

  /// Starts a process that writes `content` to `path` once the caller has ended, however that ends,
  /// or has called end_guard().
  virtual int start_guard(const std::string& /*path*/, const std::string& /*content*/,
                          Guard& /*guard*/) {
    return -ENOSYS;
  }
  /// Returns when the guard has written; -errno where it could not.
  virtual int end_guard(Guard& /*guard*/) { return -ENOSYS; }
};

}  // namespace homenode::os
