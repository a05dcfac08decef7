// Whose time a vCPU's clock measures: it follows which thread runs on the vCPU, leaves out
// interrupts (they come by the host's clock, not by the machine's) and keeps what each thread spent
// its time on. Belongs to one vCPU's host thread; others read it only while every vCPU stands
// still.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lab/plugin/region_control.h"
#include "lab/plugin/thread_key.h"
#include "lab/timing/core.h"
#include "lab/timing/spin.h"
#include "lab/timing/time_spent.h"
#include "lab/timing/timeline.h"
#include "lab/timing/wakeups.h"

namespace homenode::lab {

class TimedVcpu {
 public:
  TimedVcpu(const TimingModel& model, MemorySystem& memory, Pace& pace, Wakeups& wakeups,
            unsigned vcpu)
      : core_(model, memory, pace, vcpu), wakeups_(wakeups) {}

  /// Records what threads do here; once, before any region.
  void record(Timeline::Track& track);
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
  /// Ends an interrupt, or the fault that enter_fault() told of.
  void leave_interrupt();
  void enter_system_call(std::uint64_t number);
  /// The system call is about a futex.
  void use_futex(std::uint64_t address, std::uint64_t operation);
  /// A page fault of user code or of the kernel's.
  void enter_fault();
  /// Returns to user code from a system call: no interrupt is under way.
  void leave_system_call();
  /// User code executes a spin point (spin.h).
  void spin();
  /// What runs here wakes a thread up.
  [[nodiscard]] Wake wake(std::uint64_t time_ps);

  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] bool in_region() const { return region_.has_value(); }
  /// Whether a thread of the region is on the vCPU, interrupted or not.
  [[nodiscard]] bool has_thread() const { return running_; }
  /// The time, settled. pre: called by the vCPU's own thread, which holds no lock of the guest's
  /// kernel, or while it stands still.
  std::uint64_t settle();
  [[nodiscard]] const std::map<ThreadKey, ThreadTime>& threads() const { return threads_; }

 private:
  void credit() { credit(in_kernel_ ? Activity::kernel : Activity::user); }
  void credit(Activity activity);
  void finish_stop();
  void take_up(const ThreadKey& thread);
  void count_wait(std::uint64_t now_ps);
  void enter_kernel(const SystemCall& call);
  void leave_kernel();
  void step();
  /// Whether the kernel's idle task runs here; false until the vCPU has halted once.
  [[nodiscard]] bool is_idle() const;

  Core core_;
  Wakeups& wakeups_;
  Timeline::Track* track_ = nullptr;               ///< Null: nobody wants to see it.
  std::optional<GoingOn> next_;                    ///< The task that is switched to,
  std::optional<std::pair<Task, Stop>> stopping_;  ///< and from, if it is the region's.
  std::optional<Region> region_;
  ThreadKey thread_;
  ThreadTime* account_ = nullptr;  ///< Of `thread_`, once it has run.
  bool running_ = false;
  bool suspended_ = false;  ///< The kernel's housekeeping delays what the region does here.
  Task task_ = 0;           ///< What runs here, as switch_task() was told,
  Task idle_task_ = 0;      ///< and what ran when it halted last.
  unsigned interrupts_ = 0;
  bool in_kernel_ = false;
  unsigned faults_in_kernel_ = 0;
  SystemCall call_;  ///< That the thread is in.
  unsigned woken_by_call_ = 0;
  SpinRounds spin_rounds_;
  std::uint64_t credited_ps_ = 0;
  std::uint64_t credited_instructions_ = 0;
  std::uint64_t credited_stall_ps_ = 0;
  std::vector<std::uint64_t> credited_stalls_ps_;
  std::map<ThreadKey, ThreadTime> threads_;
};

}  // namespace homenode::lab
