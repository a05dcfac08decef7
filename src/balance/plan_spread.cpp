// Memory that several nodes' threads share, over those nodes.
#include <algorithm>
#include <set>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

using Loads = std::map<NodeId, double>;
using UsesByThread = std::map<TaskKey, double>;

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

/// CPUs that threads would take: a whole one each where they run, as those that share a CPU for
/// now would like to.
double cpus_of(const UsesByThread& users, const Observation& seen) {
  constexpr double runs = 0.25;
  double cpus = 0;
  for (const Thread& thread : seen.threads) {
    if (users.contains(thread.key)) cpus += thread.cpus > runs ? 1 : thread.cpus;
  }
  return cpus;
}

/// Whether a region may go, and no node's threads use it nearly alone.
bool is_shared(const Region& region, const ThreadNodes& threads, const ProcessMemory& before,
               const Limits& limits) {
  if (!region.why_not.empty() || before.moved.contains(region.first)) return false;
  const auto owner = owner_of(region.uses, threads);
  return owner && owner->uses >= limits.least_region_samples &&
         owner->share < limits.exclusive_share;
}

/// The nodes with a heavy part of these uses, and, where those have fewer CPUs than the users take,
/// others, as threads are on too few nodes by chance only.
Home nodes_sharing(const UsesByThread& uses, const Observation& seen, const ThreadNodes& threads,
                   const machine::Machine& machine, const Limits& limits) {
  constexpr double rounding = 0.5;
  const auto owner = owner_of(uses, threads);
  if (!owner) return {};
  std::set<NodeId> nodes;
  double missing = cpus_of(uses, seen) - rounding;
  const auto add = [&](const machine::Node& node) {
    const double cpus = cpus_with_memory(node, seen);
    if (cpus > 0 && nodes.insert(node.id).second) missing -= cpus;
  };
  for (const machine::Node& node : machine.nodes) {
    const auto here = owner->by_node.find(node.id);
    if (here != owner->by_node.end() && here->second >= limits.heavy_share * owner->uses) add(node);
  }
  for (const machine::Node& node : machine.nodes) {
    if (missing > 0) add(node);
  }
  return {nodes.begin(), nodes.end()};
}

/// Neighbours, and all their uses: a few samples of a page do not name all its users.
struct Run {
  std::vector<const Region*> regions;
  UsesByThread uses;
  double count = 0;

  void add(const Region& region) {
    regions.push_back(&region);
    add_uses(uses, region.uses);
    count += uses_of(region);
  }
};

/// Regions, by address, in runs that are no longer than it takes to have some samples of each of
/// the threads, and that have no gaps in which other memory could lie.
std::vector<Run> in_runs(std::vector<const Region*> regions, double threads) {
  constexpr double samples_of_each = 4;
  constexpr Bytes gap = 2_MiB;
  std::ranges::sort(regions, {}, &Region::first);
  std::vector<Run> runs;
  for (const Region* region : regions) {
    const bool is_next = !runs.empty() && runs.back().count < samples_of_each * threads &&
                         region->first < runs.back().regions.back()->first +
                                             runs.back().regions.back()->bytes + gap.value;
    (is_next ? runs.back() : runs.emplace_back()).add(*region);
  }
  return runs;
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
  std::vector<const Region*> shared;
  for (const Region& region : seen.regions) {
    if (is_shared(region, threads, before, limits)) shared.push_back(&region);
  }
  const auto runs = in_runs(std::move(shared), static_cast<double>(threads.size()));
  UsesByThread all;
  for (const Run& run : runs) add_uses(all, run.uses);
  const Home all_nodes = nodes_sharing(all, seen, threads, setting.machine, limits);
  Space space(seen, setting, limits, bounds);
  RegionHomes targets;
  for (const Run& run : runs) {
    Home nodes = nodes_sharing(run.uses, seen, threads, setting.machine, limits);
    // Where most of the nodes share, the others have not been seen: some sources see who comes
    // first.
    if (2 * nodes.size() > all_nodes.size() && std::ranges::includes(all_nodes, nodes))
      nodes = all_nodes;
    if (nodes.empty()) continue;
    for (const Region* region : run.regions) {
      const Home home = home_of(*region, nodes, before);
      if (!is_there(*region, home) && space.take(*region, home)) targets[region->first] = home;
    }
  }
  return targets;
}

}  // namespace homenode::balance
