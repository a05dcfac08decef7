// How threads are arranged over the axes that a pattern cuts.
#include "workloads/map/pattern.h"

namespace homenode::workloads::map {
namespace {

std::vector<unsigned> divisors(unsigned number) {
  std::vector<unsigned> found;
  for (unsigned low = 1; std::size_t{low} * low <= number; ++low) {
    if (number % low != 0) continue;
    found.push_back(low);
    if (number / low != low) found.push_back(number / low);
  }
  return found;
}

bool fits(const Pattern& pattern, const Shape& shape, const Grid& grid) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!pattern.cut[axis] && grid[axis] != 1) return false;
    if (grid[axis] > shape.extents[axis]) return false;
  }
  return true;
}

/// Fewer parts in sum is nearer to a square or a cube; of two alike the one that cuts slower axes
/// more leaves longer rows.
bool is_better(const Grid& one, const Grid& other) {
  const auto sum = [](const Grid& grid) { return std::size_t{grid[0]} + grid[1] + grid[2]; };
  return sum(one) != sum(other) ? sum(one) < sum(other) : one > other;
}

}  // namespace

std::optional<Grid> grid_for(const Pattern& pattern, const Shape& shape, unsigned threads) {
  if (pattern.use != Use::boxes) return Grid{1, 1, 1};
  std::optional<Grid> best;
  for (unsigned z : divisors(threads)) {
    for (unsigned y : divisors(threads / z)) {
      const Grid grid{z, y, threads / z / y};
      if (fits(pattern, shape, grid) && (!best || is_better(grid, *best))) best = grid;
    }
  }
  return best;
}

}  // namespace homenode::workloads::map
