// Threads that use the same memory, brought together so that the memory can follow them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

using Uses = std::map<std::uint64_t, double>;

struct Group {
  std::vector<const Thread*> threads;
  Uses uses;
  double squares = 0;  ///< Of the uses, summed.
};

double squares_of(const Uses& uses) {
  double sum = 0;
  for (const auto& [region, count] : uses) sum += count * count;
  return sum;
}

double cosine(const Uses& a, double squares, const Group& group) {
  double product = 0;
  for (const auto& [region, count] : a) {
    const auto other = group.uses.find(region);
    if (other != group.uses.end()) product += count * other->second;
  }
  return product / std::sqrt(squares * group.squares);
}

void join(Group& group, const Thread& thread, const Uses& uses) {
  group.threads.push_back(&thread);
  for (const auto& [region, count] : uses) group.uses[region] += count;
  group.squares = squares_of(group.uses);
}

/// Each thread to the group whose uses are most like its own, or to one of its own. What all use
/// alike makes one group after the other, each as large as a node.
std::vector<Group> groups_of(const Observation& seen, double alike, double most_threads) {
  std::map<TaskKey, Uses> uses;
  for (const Region& region : seen.regions) {
    for (const auto& [thread, count] : region.uses) {
      if (count > 0) uses[thread][region.first] += count;
    }
  }
  std::vector<Group> groups;
  for (const Thread& thread : seen.threads) {
    const auto own = uses.find(thread.key);
    if (!is_movable(thread) || own == uses.end()) continue;
    const double squares = squares_of(own->second);
    Group* best = nullptr;
    double most = alike;
    for (Group& group : groups) {
      if (static_cast<double>(group.threads.size()) + 1 > most_threads) continue;
      const double here = cosine(own->second, squares, group);
      if (here < most) continue;
      most = here;
      best = &group;
    }
    join(best == nullptr ? groups.emplace_back() : *best, thread, own->second);
  }
  return groups;
}

/// The part of a group's memory on each node, and a little for each of its threads there: of two
/// nodes with as much memory it goes where fewer threads have to move.
std::map<NodeId, double> ties_of(const Group& group, const Observation& seen) {
  constexpr double of_a_thread = 1e-3;
  std::map<NodeId, double> ties;
  double all = 0;
  for (const auto& [region, uses] : group.uses) all += uses;
  for (const Region& region : seen.regions) {
    const auto used = group.uses.find(region.first);
    if (used == group.uses.end()) continue;
    for (const auto& [node, pages] : region.pages) {
      ties[node] += used->second / all * part_on(region, node);
    }
  }
  for (const Thread* const thread : group.threads) ties[thread->node] += of_a_thread;
  return ties;
}

}  // namespace

ThreadNodes plan_groups(const Observation& seen, const Setting& setting, const Limits& limits) {
  constexpr double rounding = 0.005;
  auto left = free_cpus(seen, setting);
  double largest = 0;
  for (const auto& [node, cpus] : left) largest = std::max(largest, std::floor(cpus + rounding));
  auto groups = groups_of(seen, limits.alike, largest);
  std::ranges::stable_sort(
      groups, [](const Group& a, const Group& b) { return a.threads.size() > b.threads.size(); });
  ThreadNodes moved;
  for (const Group& group : groups) {
    const auto size = static_cast<double>(group.threads.size());
    const auto ties = ties_of(group, seen);
    const auto tie = [&](NodeId node) { return ties.contains(node) ? ties.at(node) : 0; };
    std::optional<NodeId> best;
    for (const auto& [node, cpus] : left) {
      if (cpus + rounding < size || !seen.memory.contains(node)) continue;
      if (!best || tie(node) > tie(*best)) best = node;
    }
    if (!best) continue;
    left[*best] -= size;
    for (const Thread* const thread : group.threads) {
      if (thread->node != *best) moved[thread->key] = *best;
    }
  }
  return moved;
}

}  // namespace homenode::balance
