// homenode bench numa-mem: what each of its processes does: threads, memory, loops, checks.
#pragma once

#include "os/clock.h"
#include "os/os.h"
#include "trial/numa_mem/crew.h"
#include "trial/numa_mem/plan.h"
#include "trial/numa_mem/shared.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

/// What a process gets from the one that starts it.
struct NumaMemWorld {
  os::Os& os;
  os::Clock& clock;
  const NumaMemPlan& plan;
  workloads::numa_mem::Words global;  ///< Empty without such memory.
  const LiveTasks& live;
  CrewGate& start;
  CrewGate& finish;
};

/// The whole life of process `number`: says crew_ready and crew_worked, waits at the gates, and
/// says its report as JSON: "tasks", "wrong_in_process" and "memories". Gives the exit code.
int be_numa_mem_process(const NumaMemWorld& world, unsigned number, CrewVoice voice);

}  // namespace homenode::trial
