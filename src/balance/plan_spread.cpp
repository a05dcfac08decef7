// Memory that several nodes' threads share, over those nodes.
#include <algorithm>
#include <set>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

using Loads = std::map<NodeId, double>;

/// The uses that each node's memory serves.
Loads served(const Observation& seen, const RegionHomes& moved) {
  const ThreadNodes threads = nodes_of(seen);
  Loads loads;
  for (const Region& region : seen.regions) {
    const auto owner = owner_of(region.uses, threads);
    if (!owner) continue;
    const auto target = moved.find(region.first);
    if (target != moved.end()) {
      for (const NodeId node : target->second)
        loads[node] += owner->uses / static_cast<double>(target->second.size());
      continue;
    }
    for (const auto& [node, pages] : region.pages)
      loads[node] += owner->uses * part_on(region, node);
  }
  return loads;
}

/// CPUs of a node that a process may use, where it may use its memory as well; 0 otherwise.
double cpus_with_memory(const machine::Node& node, const Observation& seen) {
  if (node.memory.value == 0 || !seen.memory.contains(node.id)) return 0;
  return static_cast<double>((node.cpus & seen.cpuset).size());
}

/// CPUs that the threads which use a region would take: a whole one each where they run, as those
/// that share a CPU for now would like to.
double cpus_of_users(const Region& region, const Observation& seen) {
  constexpr double runs = 0.25;
  double cpus = 0;
  for (const Thread& thread : seen.threads) {
    if (region.uses.contains(thread.key)) cpus += thread.cpus > runs ? 1 : thread.cpus;
  }
  return cpus;
}

/// The nodes whose threads share a region: those with a heavy part of its uses, and, where those
/// have fewer CPUs than its users take, others, as threads are on too few nodes by chance only.
/// None where one of them uses it nearly alone.
Home sharing(const Region& region, const Observation& seen, const ThreadNodes& threads,
             const machine::Machine& machine, const Limits& limits) {
  constexpr double rounding = 0.5;
  const auto owner = owner_of(region.uses, threads);
  if (!owner || owner->uses < limits.least_region_samples || owner->share >= limits.exclusive_share)
    return {};
  std::set<NodeId> nodes;
  double missing = cpus_of_users(region, seen) - rounding;
  const auto add = [&](const machine::Node& node) {
    const double cpus = cpus_with_memory(node, seen);
    if (cpus > 0 && nodes.insert(node.id).second) missing -= cpus;
  };
  for (const machine::Node& node : machine.nodes) {
    const auto uses = owner->by_node.find(node.id);
    if (uses != owner->by_node.end() && uses->second >= limits.heavy_share * owner->uses) add(node);
  }
  for (const machine::Node& node : machine.nodes) {
    if (missing > 0) add(node);
  }
  return {nodes.begin(), nodes.end()};
}

/// Whether none of the nodes lacks more than a fifth of its pages: then there is little to even
/// out.
bool is_there(const Region& region, const Home& home) {
  constexpr double evenly = 0.8;
  return std::ranges::all_of(
      home, [&](NodeId node) { return part_on(region, node) >= evenly * part_on(home, node); });
}

/// Pages in turn over the nodes, or what moves as a whole where its number says. What the window
/// before wanted stays: free threads are elsewhere in each window, and so are the nodes that share.
Home home_of(const Region& region, const Home& nodes, const ProcessMemory& before) {
  const bool is_one = region.is_whole || region.bytes <= region.page_size.value;
  const auto wanted = before.page_targets.find(region.first);
  if (wanted != before.page_targets.end() && (is_one || wanted->second.size() > 1)) {
    return wanted->second;
  }
  return is_one ? Home{node_of(nodes, region.first, Bytes{region.bytes})} : nodes;
}

}  // namespace

double busiest_share(const Observation& seen, const RegionHomes& regions) {
  const Loads loads = served(seen, regions);
  double most = 0;
  double all = 0;
  for (const auto& [node, load] : loads) {
    most = std::max(most, load);
    all += load;
  }
  return all > 0 ? most / all : 0;
}

RegionHomes plan_spread(const Observation& seen, const ProcessMemory& before,
                        const Setting& setting, const Limits& limits, const PageBounds& bounds) {
  const ThreadNodes threads = nodes_of(seen);
  Space space(seen, setting, limits, bounds);
  RegionHomes targets;
  for (const Region& region : seen.regions) {
    if (!region.why_not.empty() || before.moved.contains(region.first)) continue;
    const auto nodes = sharing(region, seen, threads, setting.machine, limits);
    if (nodes.empty()) continue;
    const Home home = home_of(region, nodes, before);
    if (is_there(region, home) || !space.take(region, home)) continue;
    targets[region.first] = home;
  }
  return targets;
}

}  // namespace homenode::balance
