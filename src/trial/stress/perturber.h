// homenode bench stress: the process beside the program that pins its threads, one to a CPU, and
// releases them after a time: what an administrator or another daemon would do from outside. It
// ends when the program does, however that ends.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::trial {

struct PinnedThread {
  pid_t thread = 0;
  CpuId cpu;
};

class Perturber {
 public:
  /// Forks. pre: the caller has one thread. Errors: failed when there can be no further process.
  static Result<Perturber> start(os::Os& os);
  Perturber(Perturber&& other) noexcept;
  Perturber& operator=(Perturber&&) = delete;
  /// Ends the process and waits for it.
  ~Perturber();

  /// Pins each thread to its CPU; back when all are. Errors: failed, with the kernel's errno.
  Result<void> pin(const std::vector<PinnedThread>& threads);
  /// Tells it to let all threads use `cpus` after `hold_s` seconds, and comes back at once.
  Result<void> release_after(double hold_s, const CpuSet& cpus);
  /// Readable when the release has been made, or when the process is gone.
  [[nodiscard]] int descriptor() const { return socket_; }
  /// Waits for what descriptor() announces. Errors: failed when the kernel refused, or the process
  /// is gone.
  Result<void> released();
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  Perturber(pid_t process, int socket) : process_(process), socket_(socket) {}
  pid_t process_;
  int socket_;
};

}  // namespace homenode::trial
