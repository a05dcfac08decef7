// homenode bench numa-mem: getting its memory placed and initialised. Serves the process that
// starts the others, and those.
#pragma once

#include <optional>
#include <string>

#include "actuation/aligned_memory.h"
#include "base/result.h"
#include "os/os.h"
#include "trial/numa_mem/plan.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

/// How fresh memory is to be aligned: as huge pages need it where it can hold one.
std::size_t alignment_of(const NumaMemPlan& plan, std::size_t bytes);

/// Chooses the pages' size, places them as the plan's strategy has it for this name, and writes
/// what the options say, on the node of CPU 0 where they say so; the caller is then back where it
/// was. Errors: each refusal of the kernel; not_supported without huge pages.
Result<workloads::numa_mem::Words> prepare_memory(os::Os& os, const NumaMemPlan& plan,
                                                  actuation::Region region,
                                                  const std::string& name);

/// Memory of one process and its words; none where no size is asked for.
struct OwnMemory {
  std::optional<actuation::AlignedMemory> memory;
  workloads::numa_mem::Words words;

  /// Maps it and prepares it. Errors: failed without such memory; those of prepare_memory().
  Result<void> map(os::Os& os, const NumaMemPlan& plan, std::size_t bytes, const std::string& name);
};

}  // namespace homenode::trial
