#include "balance/state.h"

#include <cmath>
#include <utility>

#include "balance/plan.h"

namespace homenode::balance {

void remember(ProcessMemory& memory, const Observation& seen, const Limits& limits) {
  for (auto& [first, remembered] : memory.regions) ++remembered.windows_unseen;
  for (const Region& region : seen.regions) {
    RememberedRegion& remembered = memory.regions[region.first];
    std::map<TaskKey, double> uses = region.uses;
    for (const auto& [thread, count] : remembered.region.uses) uses[thread] += limits.decay * count;
    remembered = {region, 0};
    remembered.region.uses = std::move(uses);
  }
  std::erase_if(memory.regions, [&](const auto& entry) {
    return entry.second.windows_unseen > limits.most_unseen;
  });
}

Observation evidence(const ProcessMemory& memory, const Observation& seen) {
  Observation all = seen;
  all.regions.clear();
  for (const auto& [first, remembered] : memory.regions) all.regions.push_back(remembered.region);
  return all;
}

void forget_verdict(ProcessMemory& memory) {
  memory.verdict = Action::nothing;
  memory.windows = 0;
  memory.page_targets.clear();
  memory.thread_targets.clear();
}

void remember_move(ProcessMemory& memory, std::uint64_t region, NodeId target, double now_s,
                   const Limits& limits) {
  const auto [moved, first] = memory.moved.try_emplace(region, MovedRegion{target});
  MovedRegion& here = moved->second;
  if (!first && here.target != target) ++here.bounces;
  here.target = target;
  if (const auto seen = memory.regions.find(region); seen != memory.regions.end()) {
    seen->second.region.pages = {{target, pages_of(seen->second.region)}};
  }
  here.quiet_until_s = now_s + limits.region_cool_down_s * std::exp2(here.bounces);
}

bool is_new_phase(ProcessMemory& memory, const Observation& seen, const Limits& limits) {
  const auto changed = [&](double now, double then) {
    return now >= limits.new_phase * then || then >= limits.new_phase * now;
  };
  const Phase& then = memory.phase;
  const bool is_new =
      changed(static_cast<double>(seen.resident.value), static_cast<double>(then.resident_bytes)) ||
      changed(static_cast<double>(seen.threads.size()), static_cast<double>(then.threads));
  if (!is_new) return false;
  memory.hands_off = false;
  memory.failed_plans = 0;
  memory.moved.clear();
  return true;
}

std::map<NodeId, double> cpus_of_all(const State& state, double now_s) {
  constexpr double recent_s = 60;
  std::map<NodeId, double> cpus;
  for (const auto& [process, memory] : state.processes) {
    if (now_s - memory.seen_s > recent_s) continue;
    for (const auto& [node, here] : memory.cpus) cpus[node] += here;
  }
  return cpus;
}

}  // namespace homenode::balance
