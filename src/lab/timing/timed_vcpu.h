// Whose time a vCPU's clock measures: it follows which thread runs on the vCPU, leaves out
// interrupts (they come by the host's clock, not by the machine's) and keeps each thread's time.
// Belongs to one vCPU's host thread; others read it only while every vCPU stands still.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "lab/plugin/region_control.h"
#include "lab/plugin/thread_key.h"
#include "lab/timing/core.h"
#include "lab/timing/wakeups.h"

namespace homenode::lab {

/// One thread's time on one vCPU, or on all together.
struct ThreadTime {
  std::uint64_t busy_ps = 0;
  std::uint64_t first_ps = 0;  ///< When it ran first,
  std::uint64_t last_ps = 0;   ///< and last.
  std::uint64_t instructions = 0;
};

class TimedVcpu {
 public:
  TimedVcpu(const TimingModel& model, MemorySystem& memory, Pace& pace, Wakeups& wakeups,
            unsigned vcpu)
      : core_(model, memory, pace, vcpu), wakeups_(wakeups) {}

  /// Begins a region while `thread` is on the vCPU. `instructions` as Core::open().
  void open(const Region& region, const ThreadKey& thread, std::uint64_t* instructions);
  /// Ends it: nothing is charged any more.
  void close();
  /// The guest's kernel is about to switch from one task to another; switch_to() follows.
  void switch_task(Task previous, Task next);
  /// The guest switches threads, or a thread of it changes its registers.
  void switch_to(const ThreadKey& thread);
  /// The vCPU halts: nothing on it is about to go on.
  void halt();
  void enter_interrupt();
  void leave_interrupt();
  /// Returns to user code from a system call: no interrupt is under way.
  void leave_system_call();

  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] bool in_region() const { return region_.has_value(); }
  /// The time, settled. pre: called by the vCPU's own thread or while it stands still.
  std::uint64_t settle();
  [[nodiscard]] const std::map<ThreadKey, ThreadTime>& threads() const { return threads_; }

 private:
  void credit();

  Core core_;
  Wakeups& wakeups_;
  std::optional<std::uint64_t> ready_ps_;  ///< From when the task that is switched to may go on.
  std::optional<Region> region_;
  ThreadKey thread_;
  bool running_ = false;
  bool suspended_ = false;  ///< A thread of the region was interrupted here and has not gone on.
  unsigned interrupts_ = 0;
  std::uint64_t credited_ps_ = 0;
  std::uint64_t credited_instructions_ = 0;
  std::map<ThreadKey, ThreadTime> threads_;
};

}  // namespace homenode::lab
