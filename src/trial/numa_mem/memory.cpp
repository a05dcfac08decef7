#include "trial/numa_mem/memory.h"

#include <cstring>
#include <utility>

#include "trial/memory.h"
#include "trial/own_place.h"
#include "trial/program/arrays.h"

namespace homenode::trial {
namespace {

namespace numa_mem = workloads::numa_mem;

/// As perf has them: never below 0, as the system has it at 0, where possible above.
PageKind pages_of(const NumaMemOptions& options) {
  if (options.huge_pages == 0) return PageKind::system;
  return options.huge_pages > 0 ? PageKind::huge : PageKind::small;
}

}  // namespace

std::size_t alignment_of(const NumaMemPlan& plan, std::size_t bytes) {
  return bytes < plan.huge_page_bytes ? plan.page_bytes : plan.huge_page_bytes;
}

Result<numa_mem::Words> prepare_memory(os::Os& os, const NumaMemPlan& plan,
                                       actuation::Region region, const std::string& name) {
  const NumaMemOptions& options = plan.options;
  const bool named = options.init_names && !options.init_zero;
  const numa_mem::Words memory{{static_cast<std::uint64_t*>(region.address), region.bytes / 8},
                               named};
  if (auto chosen = choose_pages(os, region, pages_of(options), "-H 0"); !chosen)
    return chosen.as_unexpected();
  // Where the pages really are is audited after the run.
  if (auto placed = place_named(os, plan.placement, name, region); !placed) {
    return placed.as_unexpected();
  }
  const OwnPlace place(os);
  if (options.init_cpu0) {
    if (auto moved = place.take(plan.cpus0, plan.node0); !moved) return moved.as_unexpected();
  }
  if (options.init_zero) std::memset(region.address, 0, region.bytes);
  if (named) numa_mem::give_names(memory);
  if (options.init_cpu0) {
    if (auto back = place.take({}, {}); !back) return back.as_unexpected();
  }
  return memory;
}

Result<void> OwnMemory::map(os::Os& os, const NumaMemPlan& plan, std::size_t bytes,
                            const std::string& name) {
  if (bytes == 0) return {};
  const std::size_t alignment = alignment_of(plan, bytes);
  auto mapped = actuation::AlignedMemory::map(os, round_up(bytes, alignment), alignment);
  if (!mapped) return mapped.as_unexpected();
  // What lies between its end and the alignment is never touched.
  const auto prepared = prepare_memory(os, plan, {mapped->region().address, bytes}, name);
  if (!prepared) return prepared.as_unexpected();
  memory.emplace(*std::move(mapped));
  words = *prepared;
  return {};
}

}  // namespace homenode::trial
