// What is known of each thread of the guest that does not run: since when and for what it waits,
// and from when it may go on: the modelled time at which another one woke it up, or at which it
// last ran itself. So a thread that slept goes on when the model says, wherever and whenever the
// host lets its vCPU run.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lab/timing/time_spent.h"

namespace homenode::lab {

/// A thread as the guest's kernel knows it: the address of its task_struct. Any vCPU's host thread
/// may call.
using Task = std::uint64_t;

/// A thread that has stopped running.
struct Stop {
  std::uint64_t time_ps = 0;
  ThreadKey thread;
  SystemCall call;    ///< What it was doing.
  bool able = false;  ///< It could go on: another one took its CPU, or it yielded.
};

/// What is known of a task that goes on.
struct GoingOn {
  std::optional<std::uint64_t> ready_ps;  ///< As Wakeups::ready_ps().
  std::optional<Stop> stop;               ///< Nothing: it has not run in this region.
  std::optional<Wake> wake;               ///< The last one since it last went on.
  bool is_new = false;                    ///< It has never run.
};

class Wakeups {
 public:
  void clear();
  /// The task does not go on before `time_ps`: it was woken then, or ran until then.
  void not_before(Task task, std::uint64_t time_ps);
  /// A task of the region stops.
  void stop(Task task, const Stop& stop);
  /// A task is woken, and may go on from `ready_ps`; `is_new`: for the first time.
  void wake(Task task, std::uint64_t ready_ps, const Wake& wake, bool is_new = false);
  /// From when it may go on; nothing where it neither ran nor was woken in this region.
  [[nodiscard]] std::optional<std::uint64_t> ready_ps(Task task) const;
  /// The task goes on: why it stopped and how it was woken is told once.
  GoingOn go_on(Task task);
  /// Those that have stopped and not gone on.
  [[nodiscard]] std::vector<GoingOn> waiting() const;

 private:
  void raise(GoingOn& task, std::uint64_t time_ps);

  mutable std::mutex mutex_;
  std::unordered_map<Task, GoingOn> tasks_;
};

}  // namespace homenode::lab
