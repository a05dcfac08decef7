// homenode bench numa-mem: who works where on which memory, decided before anything is allocated.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"
#include "placement/placement.h"
#include "trial/memory.h"
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

// The lists of -C and -M of `perf bench numa mem`: one entry for each task, in order.

/// "0,2-8#2,4_2x3": CPU 0; 2, 4, 6, 8; three times the two CPUs from 4 on. Errors: bad_usage for
/// syntax, more entries than tasks, CPUs that this process may not use.
Result<std::vector<CpuSet>> parse_task_cpus(const machine::Machine& machine, std::string_view text,
                                            std::size_t tasks);

/// "0x2,1-3": node 0 twice, then 1, 2, 3. Errors: bad_usage as above, and for nodes whose memory
/// this process may not use.
Result<std::vector<NodeId>> parse_task_nodes(const machine::Machine& machine, std::string_view text,
                                             std::size_t tasks);

/// Errors: bad_usage for what check() names, too many threads, wrong lists, an unknown strategy,
/// more memory than there is; not_supported where the process may use no CPU or no memory.
Result<NumaMemPlan> plan_numa_mem(const machine::Machine& machine, const NumaMemOptions& options,
                                  const MemoryFacts& facts);

}  // namespace homenode::trial
