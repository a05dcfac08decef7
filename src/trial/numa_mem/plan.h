// homenode bench numa-mem: who works where on which memory, decided before anything is allocated.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "placement/placement.h"
#include "trial/map/plan.h"
#include "trial/numa_mem/options.h"

namespace homenode::trial {

/// One thread of one process. Tasks are numbered process by process.
struct NumaMemTask {
  unsigned process = 0;
  unsigned thread = 0;
  std::optional<CpuSet> cpus;         ///< What it is bound to, if it is.
  std::optional<NodeId> memory_node;  ///< What its memory is bound to, if it is.
};

struct NumaMemPlan {
  NumaMemOptions options;
  std::vector<NumaMemTask> tasks;
  placement::Placement placement;  ///< Of the strategy; empty without one.
  std::size_t page_bytes = 4096;
  std::size_t huge_page_bytes = std::size_t{2} << 20U;
  std::size_t global_bytes = 0;  ///< These four are multiples of a page.
  std::size_t process_bytes = 0;
  std::size_t locked_bytes = 0;
  std::size_t thread_bytes = 0;
  CpuSet cpus0;               ///< The CPUs of the node of CPU 0, for init_cpu0,
  NodeId node0;               ///< and where memory of that node is.
  CpuId first_cpu, last_cpu;  ///< Between which a perturbed thread is moved.

  [[nodiscard]] std::size_t bytes() const {
    return global_bytes + options.processes * process_bytes + tasks.size() * thread_bytes;
  }
  /// What a task walks over in one loop.
  [[nodiscard]] std::size_t bytes_of_loop() const {
    return global_bytes + process_bytes + locked_bytes + thread_bytes;
  }
};

/// The names that memory has in reports and strategies: "global", "process 1", "thread 1/0".
std::string name_of_process_memory(unsigned process);
std::string name_of_thread_memory(unsigned process, unsigned thread);

/// Errors: bad_usage for what check() names, too many threads, wrong lists, an unknown strategy,
/// more memory than there is; not_supported where the process may use no CPU or no memory.
Result<NumaMemPlan> plan_numa_mem(const machine::Machine& machine, const NumaMemOptions& options,
                                  const MemoryFacts& facts);

}  // namespace homenode::trial
