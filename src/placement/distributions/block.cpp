#include <cassert>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

PageMap block(std::size_t pages, std::span<const NodeId> nodes) {
  assert(!nodes.empty());
  const std::size_t shortest = pages / nodes.size();
  const std::size_t longer_parts = pages % nodes.size();
  PageMap map;
  map.reserve(pages);
  for (std::size_t part = 0; part < nodes.size(); ++part) {
    map.insert(map.end(), shortest + (part < longer_parts ? 1 : 0), nodes[part]);
  }
  return map;
}

}  // namespace homenode::placement
