#include "workloads/stress/targets.h"

#include <numeric>

#include "base/shuffle.h"

namespace homenode::workloads::stress {

std::vector<unsigned> default_targets(Pattern pattern, unsigned nodes) {
  std::vector<unsigned> targets(nodes);
  for (unsigned node = 0; node < nodes; ++node) {
    const unsigned from = pattern == Pattern::shared ? node / 2 * 2 + 1 : node;
    targets[node] = (from + 1) % nodes;
  }
  return targets;
}

unsigned Team::threads() const {
  return std::accumulate(threads_on_node.begin(), threads_on_node.end(), 0U);
}

std::vector<unsigned> Team::first_of_node() const {
  std::vector<unsigned> first(threads_on_node.size(), 0);
  std::exclusive_scan(threads_on_node.begin(), threads_on_node.end(), first.begin(), 0U);
  return first;
}

std::vector<unsigned> Team::node_of_thread() const {
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < threads_on_node.size(); ++node) {
    nodes.insert(nodes.end(), threads_on_node[node], node);
  }
  return nodes;
}

std::vector<std::vector<unsigned>> blocks_of_threads(const Team& team, Pattern pattern,
                                                     std::uint64_t seed) {
  const std::vector<unsigned> first = team.first_of_node();
  SplitMix chance(seed);
  std::vector<std::vector<unsigned>> blocks;
  for (unsigned node = 0; node < team.threads_on_node.size(); ++node) {
    const unsigned target = team.targets[node];
    const unsigned there = team.threads_on_node[target];
    for (unsigned i = 0; i < team.threads_on_node[node]; ++i) {
      std::vector<unsigned> used;
      switch (pattern) {
        case Pattern::neighbour:
          used.push_back(first[target] + i % there);
          break;
        case Pattern::random:
          used.push_back(first[target] + static_cast<unsigned>(chance.below(there)));
          break;
        case Pattern::shared:
          used.resize(there);
          std::iota(used.begin(), used.end(), first[target]);
          break;
      }
      blocks.push_back(std::move(used));
    }
  }
  return blocks;
}

std::vector<std::vector<unsigned>> users_of_blocks(
    const std::vector<std::vector<unsigned>>& blocks_of_thread) {
  std::vector<std::vector<unsigned>> users(blocks_of_thread.size());
  for (unsigned thread = 0; thread < blocks_of_thread.size(); ++thread) {
    for (unsigned block : blocks_of_thread[thread]) users[block].push_back(thread);
  }
  return users;
}

}  // namespace homenode::workloads::stress
