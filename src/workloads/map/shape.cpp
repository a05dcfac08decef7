#include "workloads/map/shape.h"

#include <algorithm>
#include <bit>

namespace homenode::workloads::map {
namespace {

/// The least power of two whose `power`-th power (2 or 3) is at least `value`.
std::size_t root(std::size_t value, unsigned power) {
  const auto bits = static_cast<unsigned>(std::bit_width(std::bit_ceil(value)) - 1);
  return std::size_t{1} << ((bits + power - 1) / power);
}

}  // namespace

Shape even_shape(std::size_t elements, unsigned dimensions) {
  if (dimensions == 1) return {elements};
  const std::size_t columns = std::min(elements, root(elements, dimensions));
  const std::size_t rows = elements / columns;
  if (dimensions == 2) return {rows, columns};
  const std::size_t middle = std::min(rows, root(rows, 2));
  return {rows / middle, middle, columns};
}

std::size_t part_holding(std::size_t extent, std::size_t parts, std::size_t position) {
  const std::size_t even = extent / parts;
  const std::size_t longer = extent % parts;
  const std::size_t in_longer_parts = longer * (even + 1);
  if (position < in_longer_parts) return position / (even + 1);
  return longer + (position - in_longer_parts) / even;
}

}  // namespace homenode::workloads::map
