// homenode bench numa-mem: the loops of one thread over its memory, on the run's clock.
#pragma once

#include <mutex>

#include "trial/numa_mem/process.h"
#include "trial/numa_mem/record.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

/// A thread of a process and what it works on.
struct NumaMemWorker {
  const NumaMemWorld& world;
  unsigned process = 0;
  unsigned thread = 0;
  workloads::numa_mem::Words process_memory;
  workloads::numa_mem::Words thread_memory;
  std::mutex& lock;  ///< perf's lock of the process.
};

/// Loops as often as the plan has it or until the tasks are stopped; says after each where it is.
NumaMemRecord do_loops(const NumaMemWorker& worker);

}  // namespace homenode::trial
