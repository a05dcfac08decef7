#include <algorithm>
#include <cassert>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

PageMap skew(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block) {
  assert(!nodes.empty() && pages_per_block > 0);
  PageMap map;
  map.reserve(pages);
  for (std::size_t number = 0; map.size() < pages; ++number) {
    const NodeId node = nodes[(number + number / nodes.size() + 1) % nodes.size()];
    map.insert(map.end(), std::min(pages_per_block, pages - map.size()), node);
  }
  return map;
}

}  // namespace homenode::placement
