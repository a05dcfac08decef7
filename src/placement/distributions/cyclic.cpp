#include <cassert>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

PageMap cyclic(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block) {
  assert(!nodes.empty() && pages_per_block > 0);
  PageMap map;
  map.reserve(pages);
  for (std::size_t page = 0; page < pages; ++page) {
    map.push_back(nodes[page / pages_per_block % nodes.size()]);
  }
  return map;
}

}  // namespace homenode::placement
