// The lab's clock as a whole: every vCPU's clock, the memory system that they share, and the slots
// through which a program in the guest reads the time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/plugin/node_map.h"
#include "lab/timing/memory_system.h"
#include "lab/timing/pace.h"
#include "lab/timing/timed_vcpu.h"
#include "lab/timing/timeline.h"
#include "lab/timing/wakeups.h"

namespace homenode::lab {

class Timekeeper {
 public:
  /// `nodes` outlives the timekeeper; `memory_end` is the end of the highest node.
  /// Errors: bad_usage when the model does not fit the vCPUs or the nodes; failed when memory for
  /// the directory cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<Timekeeper>> create(TimingModel model,
                                                                  const NodeMap& nodes,
                                                                  unsigned vcpus,
                                                                  std::uint64_t memory_end);

  [[nodiscard]] const TimingModel& model() const { return model_; }
  [[nodiscard]] TimedVcpu& vcpu(unsigned index) { return *vcpus_[index]; }
  [[nodiscard]] const TimedVcpu& vcpu(unsigned index) const { return *vcpus_[index]; }
  [[nodiscard]] const MemorySystem& memory() const { return memory_; }
  [[nodiscard]] Pace& pace() { return pace_; }
  [[nodiscard]] const Pace& pace() const { return pace_; }
  /// The position in the model of a node by its index in the NodeMap.
  [[nodiscard]] unsigned position(unsigned map_index) const { return positions_[map_index]; }
  /// Those of all nodes of the NodeMap, in its order.
  [[nodiscard]] const std::vector<unsigned>& positions() const { return positions_; }
  /// The NodeMap's index of a node with memory by its position in the model.
  [[nodiscard]] unsigned map_index(unsigned position) const { return map_indexes_[position]; }

  /// Records from the next region on what each thread does when; at most once.
  void record_timeline();
  /// What was recorded; null: nobody wanted it.
  [[nodiscard]] const Timeline* timeline() const { return timeline_.get(); }

  /// Begins a region. pre: no vCPU runs. `thread(i)` is what vCPU i runs, `instructions(i)` its
  /// counter.
  void open(const Region& region, const std::function<ThreadKey(unsigned)>& thread,
            const std::function<std::uint64_t*(unsigned)>& instructions);
  /// Ends it, and lets go whoever still waits. pre: no vCPU runs an instruction.
  void close();
  /// Nobody waits for anybody any more, because QEMU is about to stop all vCPUs.
  void release() { pace_.release(); }

  /// What a vCPU executes wakes a task up; `is_new`: one that has never run.
  void wake(unsigned waker, Task task, bool is_new = false);
  /// What a vCPU executes has another one look for work.
  void kick(unsigned waker, unsigned vcpu);

  /// The whole time of the last region: on the clock of the vCPU that ended it.
  void set_end(std::uint64_t time_ps) { end_ps_ = time_ps; }
  /// The latest clock, where no marker ended the region.
  [[nodiscard]] std::uint64_t end_ps() const;
  /// Each thread's time over all vCPUs. One that sleeps does so until the end.
  [[nodiscard]] std::map<ThreadKey, ThreadTime> threads() const;
  /// A thread that had stopped and not gone on when the region ended: it slept from one time to
  /// another, and could have run from there to the end.
  struct LastWait {
    Stop stop;
    std::uint64_t ready_ps = 0;
    std::optional<Wake> wake;
  };
  [[nodiscard]] std::vector<LastWait> last_waits() const;

 private:
  Timekeeper(TimingModel model, Directory directory, const NodeMap& nodes, unsigned vcpus);

  TimingModel model_;
  std::vector<unsigned> positions_;
  std::vector<unsigned> map_indexes_;
  MemorySystem memory_;
  Pace pace_;
  Wakeups wakeups_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::unique_ptr<TimedVcpu>> vcpus_;
  std::uint64_t end_ps_ = 0;
};

}  // namespace homenode::lab
