#include "cli/bench_numa_mem_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "actuation/process.h"
#include "cli/program_arrays.h"

namespace homenode::cli {
namespace {

namespace numa_mem = workloads::numa_mem;

Result<void> choose_huge_pages(os::Os& os, const NumaMemPlan& plan, actuation::Region region) {
  const int wanted = plan.options.huge_pages;
  if (wanted == 0) return {};
  const int result =
      os.advise_memory(region.address, region.bytes, wanted > 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  // EINVAL: a kernel without transparent huge pages, whose pages are small anyway.
  if (result == 0 || (result == -EINVAL && wanted < 0)) return {};
  return not_supported("cannot have huge pages",
                       "give -H 0, or use a kernel with transparent huge pages", -result);
}

}  // namespace

OwnPlace::OwnPlace(os::Os& os) : os_(os) {
  knows_cpus_ = os.sched_getaffinity(0, cpus_) == 0;
  knows_policy_ = os.get_mempolicy(mode_, nodes_) == 0;
}

Result<void> OwnPlace::take(const std::optional<CpuSet>& cpus, std::optional<NodeId> memory) const {
  if (cpus || knows_cpus_) {
    if (auto bound = actuation::bind_thread(os_, 0, cpus.value_or(cpus_)); !bound) return bound;
  }
  if (memory) {
    return actuation::set_process_policy(os_, {placement::PolicyKind::bind, {*memory}, false});
  }
  if (!knows_policy_) return {};
  const int result = os_.set_mempolicy(mode_, nodes_);
  if (result == 0) return {};
  return failed("cannot give the thread its memory policy back",
                "run without -M, -0 and --strategy", -result);
}

std::size_t alignment_of(const NumaMemPlan& plan, std::size_t bytes) {
  return bytes < plan.huge_page_bytes ? plan.page_bytes : plan.huge_page_bytes;
}

Result<numa_mem::Words> prepare_memory(os::Os& os, const NumaMemPlan& plan,
                                       actuation::Region region, const std::string& name,
                                       const std::function<Result<void>()>& go_back) {
  const NumaMemOptions& options = plan.options;
  const bool named = options.init_names && !options.init_zero;
  const numa_mem::Words memory{{static_cast<std::uint64_t*>(region.address), region.bytes / 8},
                               named};
  if (auto chosen = choose_huge_pages(os, plan, region); !chosen) return chosen.as_unexpected();
  // Where the pages really are is audited after the run.
  if (auto placed = place_named(os, plan.placement, name, region); !placed) {
    return placed.as_unexpected();
  }
  if (options.init_cpu0) {
    if (auto moved = OwnPlace(os).take(plan.cpus0, plan.node0); !moved) {
      return moved.as_unexpected();
    }
  }
  if (options.init_zero) std::memset(region.address, 0, region.bytes);
  if (named) numa_mem::give_names(memory);
  if (options.init_cpu0) {
    if (auto back = go_back(); !back) return back.as_unexpected();
  }
  return memory;
}

}  // namespace homenode::cli
