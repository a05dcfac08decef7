#include <cassert>

#include "base/shuffle.h"
#include "placement/distributions/distribution.h"

namespace homenode::placement {

PageMap random(std::size_t pages, std::span<const NodeId> nodes, RandomDeal deal) {
  assert(!nodes.empty() && deal.pages_per_block > 0);
  const std::size_t blocks =
      pages / deal.pages_per_block + (pages % deal.pages_per_block != 0 ? 1 : 0);
  SplitMix chance(deal.seed);
  std::vector<NodeId> order(nodes.begin(), nodes.end());
  shuffle(order.data(), order.size(), chance);
  std::vector<NodeId> node_of_block = cyclic(blocks, order);
  shuffle(node_of_block.data(), node_of_block.size(), chance);
  if (deal.pages_per_block == 1) return node_of_block;
  return cyclic(pages, node_of_block, deal.pages_per_block);
}

}  // namespace homenode::placement
