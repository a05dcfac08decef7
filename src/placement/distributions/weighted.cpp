#include <algorithm>
#include <cassert>
#include <numeric>

#include "placement/distributions/distribution.h"

namespace homenode::placement {
namespace {

/// Balinski and Young's quota method, which is earliest deadline first: of the nodes that are below
/// their share of `page + 1` pages, the one whose share first asks for one page more.
std::size_t next_node(std::span<const std::uint64_t> weights, std::uint64_t sum,
                      std::span<const std::uint64_t> counts, std::uint64_t page) {
  std::size_t chosen = weights.size();
  for (std::size_t node = 0; node < weights.size(); ++node) {
    if (counts[node] * sum >= (page + 1) * weights[node]) continue;
    if (chosen == weights.size() ||
        (counts[node] + 1) * weights[chosen] < (counts[chosen] + 1) * weights[node]) {
      chosen = node;
    }
  }
  return chosen;
}

}  // namespace

PageMap weighted(std::size_t pages, std::span<const NodeId> nodes,
                 std::span<const std::uint64_t> weights) {
  assert(!nodes.empty() && nodes.size() == weights.size());
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  assert(sum > 0);
  // After `sum` pages every share is a whole number, and all starts again; so no product below is
  // larger than sum * sum.
  const std::size_t period = std::min<std::uint64_t>(pages, sum);
  std::vector<std::uint64_t> counts(nodes.size(), 0);
  PageMap map;
  map.reserve(pages);
  for (std::size_t page = 0; page < period; ++page) {
    const std::size_t node = next_node(weights, sum, counts, page);
    assert(node < nodes.size());  // The shares add up to page + 1, so one of them is not reached.
    ++counts[node];
    map.push_back(nodes[node]);
  }
  while (map.size() < pages) map.push_back(map[map.size() - period]);
  return map;
}

}  // namespace homenode::placement
