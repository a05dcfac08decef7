#include "trial/map/memory.h"

#include <chrono>
#include <string>

#include "workloads/map/kernels.h"

namespace homenode::trial {
namespace {

namespace map = workloads::map;

/// Policies and page maps are set before the main thread touches the memory.
Result<void> place_fresh(os::Os& os, actuation::Region region, const PhasePlan& phase,
                         PhaseReport& report) {
  if (const auto* policy = std::get_if<placement::Policy>(&phase.memory)) {
    return actuation::set_region_policy(os, region, *policy);
  }
  if (const auto* pages = std::get_if<placement::PageMap>(&phase.memory)) {
    auto receipt = actuation::place_pages(os, region, *pages);
    if (!receipt) return receipt.as_unexpected();
    report.receipt = *std::move(receipt);
  }
  return {};
}

/// Memory for a phase, of the page size that is wanted, placed but not yet touched by this.
Result<actuation::AlignedMemory> map_phase(os::Os& os, const MapPlan& plan, const PhasePlan& phase,
                                           PhaseReport& report) {
  auto memory = actuation::AlignedMemory::map(os, phase.bytes.value, plan.alignment);
  if (!memory) return memory;
  const actuation::Region region = memory->region();
  name_region(os, region, "array");
  if (const auto done = choose_pages(os, region, plan.options.pages); !done) {
    return done.as_unexpected();
  }
  if (const auto done = place_fresh(os, region, phase, report); !done) return done.as_unexpected();
  return memory;
}

/// The pages that are there, moved to where the phase wants them.
Result<void> place_again(os::Os& os, actuation::Region region, const PhasePlan& phase,
                         PhaseReport& report) {
  const auto* policy = std::get_if<placement::Policy>(&phase.memory);
  auto receipt = policy != nullptr ? actuation::move_to_policy(os, region, *policy)
                                   : actuation::place_pages(
                                         os, region, std::get<placement::PageMap>(phase.memory));
  if (!receipt) return receipt.as_unexpected();
  report.change->pages = receipt->moved;
  report.receipt = *std::move(receipt);
  return {};
}

map::Element* array_in(const actuation::AlignedMemory& memory) {
  return static_cast<map::Element*>(memory.region().address);
}

Result<void> lay_out_again(os::Os& os, const MapPlan& plan, std::size_t at,
                           std::optional<actuation::AlignedMemory>& memory, PhaseReport& report) {
  auto fresh = map_phase(os, plan, plan.phases[at], report);
  if (!fresh) return fresh.as_unexpected();
  map::lay_out_anew(array_in(*memory), plan.phases[at - 1].layout, array_in(*fresh),
                    plan.phases[at].layout);
  memory.reset();
  memory.emplace(*std::move(fresh));
  report.change->laid_out_anew = true;
  report.change->pages = plan.phases[at].bytes.value / plan.page_bytes;
  return {};
}

}  // namespace

Result<void> first_memory(os::Os& os, const MapPlan& plan,
                          std::optional<actuation::AlignedMemory>& memory, PhaseReport& report) {
  auto mapped = map_phase(os, plan, plan.phases.front(), report);
  if (!mapped) return mapped.as_unexpected();
  memory.emplace(*std::move(mapped));
  map::initialise(array_in(*memory), memory->region().bytes / sizeof(map::Element));
  return {};
}

Result<void> change_memory(os::Os& os, const MapPlan& plan, std::size_t at,
                           std::optional<actuation::AlignedMemory>& memory, PhaseReport& report) {
  const PhasePlan& phase = plan.phases[at];
  if (std::holds_alternative<std::monostate>(phase.memory)) return {};
  report.change.emplace();
  const auto begin = std::chrono::steady_clock::now();
  const auto done = plan.options.method == Method::rewrite
                        ? lay_out_again(os, plan, at, memory, report)
                        : place_again(os, memory->region(), phase, report);
  const auto end = std::chrono::steady_clock::now();
  report.change->seconds = std::chrono::duration<double>(end - begin).count();
  return done;
}

}  // namespace homenode::trial
