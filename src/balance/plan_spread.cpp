// Memory that several nodes' threads share, over those nodes.
#include <algorithm>
#include <vector>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

using Loads = std::map<NodeId, double>;

/// The uses that each node's memory serves.
Loads served(const Observation& seen, const RegionNodes& moved) {
  const ThreadNodes threads = nodes_of(seen);
  Loads loads;
  for (const Region& region : seen.regions) {
    const auto owner = owner_of(region.uses, threads);
    if (!owner) continue;
    const auto target = moved.find(region.first);
    if (target != moved.end()) {
      loads[target->second] += owner->uses;
      continue;
    }
    for (const auto& [node, pages] : region.pages)
      loads[node] += owner->uses * part_on(region, node);
  }
  return loads;
}

/// The nodes whose threads share a region: those with CPUs and memory that the process may use and
/// a heavy part of its uses. None where one of them uses it nearly alone.
std::vector<NodeId> sharing(const Region& region, const Observation& seen,
                            const ThreadNodes& threads, const machine::Machine& machine,
                            const Limits& limits) {
  const auto owner = owner_of(region.uses, threads);
  std::vector<NodeId> nodes;
  if (!owner || owner->uses < limits.least_region_samples || owner->share >= limits.exclusive_share)
    return nodes;
  for (const auto& [node, uses] : owner->by_node) {
    const machine::Node* const known = machine.find(node);
    if (known == nullptr || known->memory.value == 0 || !seen.memory.contains(node)) continue;
    if (uses >= limits.heavy_share * owner->uses) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

double busiest_share(const Observation& seen, const RegionNodes& regions) {
  const Loads loads = served(seen, regions);
  double most = 0;
  double all = 0;
  for (const auto& [node, load] : loads) {
    most = std::max(most, load);
    all += load;
  }
  return all > 0 ? most / all : 0;
}

RegionNodes plan_spread(const Observation& seen, const ProcessMemory& before,
                        const Setting& setting, const Limits& limits, const PageBounds& bounds) {
  const ThreadNodes threads = nodes_of(seen);
  Space space(seen, setting, limits, bounds);
  RegionNodes targets;
  for (const Region& region : seen.regions) {
    if (!region.why_not.empty() || before.moved.contains(region.first)) continue;
    const auto nodes = sharing(region, seen, threads, setting.machine, limits);
    if (nodes.empty()) continue;
    // By its address, so that each window wants the same.
    const NodeId target = nodes[region.first / region_bytes % nodes.size()];
    if (pages_elsewhere(region, target) == 0 || !space.take(region, target)) continue;
    targets[region.first] = target;
  }
  return targets;
}

}  // namespace homenode::balance
