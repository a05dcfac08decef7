#include "balance/plan.h"

#include <algorithm>
#include <optional>

namespace homenode::balance {
namespace {

/// Uses of a thread by the node that the memory is on.
using Wish = std::map<NodeId, double>;

std::map<TaskKey, Wish> wishes_of(const Observation& seen) {
  std::map<TaskKey, Wish> wishes;
  for (const Region& region : seen.regions) {
    for (const auto& [thread, uses] : region.uses) {
      for (const auto& [node, pages] : region.pages) {
        wishes[thread][node] += uses * part_on(region, node);
      }
    }
  }
  return wishes;
}

/// What a thread's uses bring on a node: all of them where they are local, less the farther.
double value_of(const Wish& wish, NodeId node, const Remoteness& remoteness) {
  double value = 0;
  for (const auto& [there, uses] : wish) value += uses * (1 - remoteness.of(node, there));
  return value;
}

}  // namespace

bool is_movable(const Thread& thread) {
  constexpr double least_cpus = 0.05;
  return thread.why_not.empty() && thread.cpus >= least_cpus;
}

std::map<NodeId, double> free_cpus(const Observation& seen, const Setting& setting) {
  std::map<NodeId, double> left;
  for (const machine::Node& node : setting.machine.nodes) {
    const auto cpus = static_cast<double>((node.cpus & seen.cpuset).size());
    if (cpus == 0) continue;
    const auto taken = setting.cpus_taken.find(node.id);
    left[node.id] = cpus - (taken == setting.cpus_taken.end() ? 0 : taken->second);
  }
  for (const Thread& thread : seen.threads) {
    const auto at = left.find(thread.node);
    if (at != left.end() && !thread.why_not.empty()) at->second -= thread.cpus;
  }
  return left;
}

ThreadNodes plan_threads(const Observation& seen, const Setting& setting,
                         const ThreadNodes& wanted) {
  struct Pair {
    const Thread* thread = nullptr;
    NodeId node;
    double value = 0;
    int claim = 0;  ///< On a node that serves others as well: 2 it was to go there, 1 it is there.
  };
  // Samples differ by some per cent from window to window, and of threads with as many uses of one
  // node it must not be other ones each time that are to go there.
  constexpr double of_a_claim = 0.2;
  // A CPU of which half a per cent is in use is free.
  constexpr double a_cpu = 0.995;
  const auto wishes = wishes_of(seen);
  auto left = free_cpus(seen, setting);
  std::vector<Pair> pairs;
  for (const Thread& thread : seen.threads) {
    const auto wish = wishes.find(thread.key);
    if (!is_movable(thread)) continue;
    const auto before = wanted.find(thread.key);
    for (const auto& [node, cpus] : left) {
      const double value =
          wish == wishes.end() ? 0 : value_of(wish->second, node, setting.remoteness);
      const bool again = before != wanted.end() && before->second == node;
      const int claim = again ? 2 : node == thread.node ? 1 : 0;
      pairs.push_back({&thread, node, value * (1 + of_a_claim * claim), claim});
    }
  }
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) {
    return a.value != b.value ? a.value > b.value : a.claim > b.claim;
  });
  ThreadNodes placed;
  for (const Pair& pair : pairs) {
    if (placed.contains(pair.thread->key) || left[pair.node] < a_cpu) continue;
    placed[pair.thread->key] = pair.node;
    left[pair.node] -= 1;
  }
  for (const Thread& thread : seen.threads) {
    const auto at = placed.find(thread.key);
    if (at != placed.end() && at->second == thread.node) placed.erase(at);
  }
  return placed;
}

}  // namespace homenode::balance
