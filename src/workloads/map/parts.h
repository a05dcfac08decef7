// MAP-numa: the cut of one axis into contiguous parts, of which the first are longer by one.
#pragma once

#include <algorithm>
#include <cstddef>

namespace homenode::workloads::map {

struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The index-th of `parts` contiguous parts; the first (extent mod parts) have one element more.
/// pre: index < parts.
inline Range part_of(std::size_t extent, std::size_t parts, std::size_t index) {
  const std::size_t even = extent / parts;
  const std::size_t longer = extent % parts;
  return {index * even + std::min(index, longer), even + (index < longer ? 1 : 0)};
}

/// The inverse: which part holds a position. pre: position < extent.
inline std::size_t part_holding(std::size_t extent, std::size_t parts, std::size_t position) {
  const std::size_t even = extent / parts;
  const std::size_t longer = extent % parts;
  const std::size_t in_longer_parts = longer * (even + 1);
  if (position < in_longer_parts) return position / (even + 1);
  return longer + (position - in_longer_parts) / even;
}

}  // namespace homenode::workloads::map
