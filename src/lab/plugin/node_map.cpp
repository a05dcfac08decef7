#include "lab/plugin/node_map.h"

#include <algorithm>

namespace homenode::lab {

NodeMap::NodeMap(std::span<const NodeRange> ranges, AddressForm form) : form_(form) {
  for (const NodeRange& range : ranges) nodes_.push_back(range.node);
  std::ranges::sort(nodes_);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());

  if (form == AddressForm::guest_physical) {
    for (const NodeRange& range : ranges) {
      const auto at = std::ranges::lower_bound(nodes_, range.node) - nodes_.begin();
      spans_.push_back({range.base, range.size, static_cast<unsigned>(at)});
    }
    return;
  }
  // QEMU 7.2 adds a block's start among all RAM blocks and its start within the machine's RAM.
  // Node by node these are the same number b, so offset x of the node comes back as 2b + x.
  std::uint64_t start = 0;
  for (unsigned index = 0; index < nodes_.size(); ++index) {
    std::uint64_t size = 0;
    for (const NodeRange& range : ranges) {
      if (range.node == nodes_[index]) size += range.size;
    }
    spans_.push_back({2 * start, size, index});
    start += size;
  }
}

}  // namespace homenode::lab
