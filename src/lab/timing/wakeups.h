// From when each thread of the guest may go on: the modelled time at which another one woke it up,
// or at which it last ran itself. So a thread that slept goes on when the model says, wherever and
// whenever the host lets its vCPU run.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace homenode::lab {

/// A thread as the guest's kernel knows it: the address of its task_struct. Any vCPU's host thread
/// may call.
using Task = std::uint64_t;

class Wakeups {
 public:
  void clear();
  /// The task does not go on before `time_ps`: it was woken then, or ran until then.
  void not_before(Task task, std::uint64_t time_ps);
  /// From when it may go on; nothing where it neither ran nor was woken in this region.
  [[nodiscard]] std::optional<std::uint64_t> ready_ps(Task task) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Task, std::uint64_t> ready_ps_;
};

}  // namespace homenode::lab
