#include <cassert>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

PageMap skew(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block) {
  assert(!nodes.empty() && pages_per_block > 0);
  PageMap map;
  map.reserve(pages);
  for (std::size_t page = 0; page < pages; ++page) {
    const std::size_t number = page / pages_per_block;
    map.push_back(nodes[(number + number / nodes.size() + 1) % nodes.size()]);
  }
  return map;
}

}  // namespace homenode::placement
