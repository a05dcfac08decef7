#include <cassert>
#include <utility>

#include "placement/distribution.h"

namespace homenode::placement {
namespace {

/// splitmix64 (Steele, Lea and Flood, 2014): own, because the standard library's distributions
/// differ from one implementation to the next, and a seed must mean one map everywhere.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
  }

  /// Even over [0, bound): what would favour the small numbers is thrown away. pre: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t too_many = (std::uint64_t{0} - bound) % bound;
    std::uint64_t value = next();
    while (value < too_many) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

void shuffle(std::vector<NodeId>& nodes, SplitMix& chance) {
  for (std::size_t left = nodes.size(); left > 1; --left) {
    std::swap(nodes[left - 1], nodes[chance.below(left)]);
  }
}

}  // namespace

PageMap random(std::size_t pages, std::span<const NodeId> nodes, RandomDeal deal) {
  assert(!nodes.empty() && deal.pages_per_block > 0);
  const std::size_t blocks =
      pages / deal.pages_per_block + (pages % deal.pages_per_block != 0 ? 1 : 0);
  SplitMix chance(deal.seed);
  std::vector<NodeId> order(nodes.begin(), nodes.end());
  shuffle(order, chance);
  std::vector<NodeId> node_of_block = cyclic(blocks, order);
  shuffle(node_of_block, chance);
  if (deal.pages_per_block == 1) return node_of_block;
  return cyclic(pages, node_of_block, deal.pages_per_block);
}

}  // namespace homenode::placement
