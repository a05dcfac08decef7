// How local the use of memory is, measured and under a change, and what that is worth.
#include <algorithm>
#include <cmath>

#include "balance/plan.h"

namespace homenode::balance {

ThreadNodes nodes_of(const Observation& seen) {
  ThreadNodes nodes;
  for (const Thread& thread : seen.threads) nodes[thread.key] = thread.node;
  return nodes;
}

std::uint64_t pages_of(const Region& region) {
  std::uint64_t pages = 0;
  for (const auto& [node, count] : region.pages) pages += count;
  return pages;
}

double part_on(const Region& region, NodeId node) {
  const auto there = region.pages.find(node);
  if (there == region.pages.end()) return 0;
  return static_cast<double>(there->second) / static_cast<double>(pages_of(region));
}

double part_on(const Home& home, NodeId node) {
  return static_cast<double>(std::ranges::count(home, node)) / static_cast<double>(home.size());
}

double uses_of(const Observation& seen) {
  const ThreadNodes nodes = nodes_of(seen);
  double all = 0;
  for (const Region& region : seen.regions) {
    for (const auto& [thread, uses] : region.uses) all += nodes.contains(thread) ? uses : 0;
  }
  return all;
}

double uses_of(const Region& region) {
  double all = 0;
  for (const auto& [thread, uses] : region.uses) all += uses;
  return all;
}

void add_uses(std::map<TaskKey, double>& uses, const std::map<TaskKey, double>& more,
              double factor) {
  for (const auto& [thread, count] : more) uses[thread] += factor * count;
}

double local_share(const Observation& seen, const ThreadNodes& threads,
                   const RegionHomes& regions) {
  double all = 0;
  double local = 0;
  for (const Region& region : seen.regions) {
    const auto moved = regions.find(region.first);
    for (const auto& [thread, uses] : region.uses) {
      const auto node = threads.find(thread);
      if (node == threads.end()) continue;
      all += uses;
      if (moved == regions.end()) {
        local += uses * part_on(region, node->second);
      } else {
        local += uses * part_on(moved->second, node->second);
      }
    }
  }
  return all > 0 ? local / all : 1;
}

double coarse_local_share(const Observation& seen) {
  double pages = 0;
  for (const auto& [node, count] : seen.pages) pages += static_cast<double>(count);
  double cpus = 0;
  double local = 0;
  for (const Thread& thread : seen.threads) {
    const auto there = seen.pages.find(thread.node);
    cpus += thread.cpus;
    if (there != seen.pages.end()) local += thread.cpus * static_cast<double>(there->second);
  }
  return pages > 0 && cpus > 0 ? local / (pages * cpus) : 1;
}

double tolerated_share(const ProcessMemory& memory, const Limits& limits) {
  return memory.goes_on ? limits.least_more_gain : limits.least_remote_share;
}

Remoteness::Remoteness(const machine::Machine& machine) {
  constexpr double local = 10;
  if (!machine.distances) return;
  const auto& distances = machine.distances->values;
  double sum = 0;
  double pairs = 0;
  for (const NodeId from : distances.rows()) {
    for (const NodeId to : distances.columns()) {
      const double beyond = std::max(0.0, distances.at(from, to) - local);
      if (from == to || beyond == 0) continue;
      values_[{from, to}] = beyond;
      sum += beyond;
      ++pairs;
    }
  }
  for (auto& [nodes, value] : values_) value *= pairs / sum;
}

double Remoteness::of(NodeId from, NodeId to) const {
  if (from == to) return 0;
  const auto known = values_.find({from, to});
  return known == values_.end() ? 1 : known->second;
}

double mean_remoteness(const Observation& seen, const Remoteness& remoteness,
                       const ThreadNodes& threads, const RegionHomes& regions) {
  double all = 0;
  double remote = 0;
  for (const Region& region : seen.regions) {
    const auto moved = regions.find(region.first);
    for (const auto& [thread, uses] : region.uses) {
      const auto from = threads.find(thread);
      if (from == threads.end()) continue;
      all += uses;
      if (moved != regions.end()) {
        for (const NodeId node : moved->second) {
          remote +=
              uses / static_cast<double>(moved->second.size()) * remoteness.of(from->second, node);
        }
        continue;
      }
      for (const auto& [node, pages] : region.pages) {
        remote += uses * part_on(region, node) * remoteness.of(from->second, node);
      }
    }
  }
  return all > 0 ? remote / all : 0;
}

double Worth::saved_s(double share_of_uses) const {
  const double horizon = std::min(seen_.age_s, limits_.most_horizon_s);
  return share_of_uses * seen_.cpus * limits_.misses_per_cpu_s * costs_.remote_penalty_s * horizon;
}

double Worth::nearer_s(const ThreadNodes& threads, const RegionHomes& regions) const {
  return saved_s(mean_remoteness(seen_, setting_.remoteness, nodes_of(seen_), {}) -
                 mean_remoteness(seen_, setting_.remoteness, threads, regions));
}

double Worth::cost_s(std::uint64_t pages) const {
  const auto count = static_cast<double>(pages);
  return count * costs_.page_s + std::ceil(count / costs_.pages_of_a_call) * costs_.call_s;
}

}  // namespace homenode::balance
