// homenode bench numa-mem: getting its memory placed and initialised, and threads to their places
// and back. Serves the process that starts the others, and those.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "actuation/region.h"
#include "base/result.h"
#include "cli/bench_numa_mem_plan.h"
#include "os/os.h"
#include "workloads/numa_mem/words.h"

namespace homenode::cli {

/// The CPUs and the memory policy that the calling thread had.
class OwnPlace {
 public:
  explicit OwnPlace(os::Os& os);
  /// Gives the calling thread these CPUs and binds its memory; what is absent becomes, or stays,
  /// as it was at the beginning. Errors: each refusal of the kernel.
  Result<void> take(const std::optional<CpuSet>& cpus, std::optional<NodeId> memory) const;

 private:
  os::Os& os_;
  CpuSet cpus_;
  int mode_ = 0;
  NodeSet nodes_;
  bool knows_cpus_ = false;
  bool knows_policy_ = false;
};

/// How fresh memory is to be aligned: as huge pages need it where it can hold one.
std::size_t alignment_of(const NumaMemPlan& plan, std::size_t bytes);

/// Chooses the pages' size, places them as the plan's strategy has it for this name, and writes
/// what the options say, on the node of CPU 0 where they say so; the caller is then back at
/// `place`. Errors: each refusal of the kernel; not_supported without huge pages.
Result<workloads::numa_mem::Words> prepare_memory(os::Os& os, const NumaMemPlan& plan,
                                                  actuation::Region region, const std::string& name,
                                                  const std::function<Result<void>()>& go_back);

}  // namespace homenode::cli
