// homenode bench numa-mem: one run of a plan, and what is known after it.
#pragma once

#include <optional>
#include <vector>

#include "os/os.h"
#include "trial/numa_mem/audit.h"
#include "trial/numa_mem/plan.h"
#include "trial/numa_mem/work.h"

namespace homenode::trial {

struct NumaMemReport {
  NumaMemPlan plan;
  bool modelled = false;             ///< Whether the tasks' times are the lab's model of time.
  std::vector<NumaMemRecord> tasks;  ///< As in the plan.
  std::vector<int> cpu_of_task;      ///< At the end; -1: not known.
  std::vector<int> node_of_task;
  std::vector<NumaMemAudit> memories;  ///< Global, then those of each process.
  std::vector<NumaMemLook> looks;      ///< Empty where none was asked for.
};

/// What a task walked over.
struct NumaMemWalk {
  double bytes = 0.0;
  double seconds = 0.0;
  double speed = 0.0;  ///< Bytes a second; 0 where the clock did not move.
};
NumaMemWalk walk_of(const NumaMemPlan& plan, const NumaMemRecord& task);

/// perf's figures, of exact times where perf counts whole seconds.
struct NumaMemFigures {
  double slowest_s = 0.0;  ///< From the first beginning to the last end.
  double fastest_s = 0.0;  ///< The least time of a thread.
  double mean_s = 0.0;
  double spread = 0.0;  ///< (slowest - fastest) / 2 / slowest.
  double bytes_of_thread = 0.0;
  double bytes = 0.0;
  double ns_per_byte_of_thread = 0.0;
  double thread_speed = 0.0;  ///< Bytes a second.
  double speed = 0.0;
};
NumaMemFigures figures_of(const NumaMemReport& report);

/// Starts the processes, lets them work, looks at them, ends them and checks all memory. The
/// processes end when the caller does, however that ends. pre: the caller has one thread.
/// Errors: failed when memory, processes or threads are refused, when one of them dies, or when
/// anything read or left in memory is not what was written; the kernel's refusals to place.
Result<NumaMemReport> run_numa_mem(os::Os& os, const NumaMemPlan& plan);

}  // namespace homenode::trial
