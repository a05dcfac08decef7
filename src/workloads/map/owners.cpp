// Who owns what a thread uses: the other half of a pattern's logic.
#include <cassert>

#include "workloads/map/parts.h"
#include "workloads/map/pattern.h"

namespace homenode::workloads::map {
namespace {

struct Slice {
  std::size_t part = 0;
  std::size_t count = 0;
};

/// What a range of an axis has of each part.
std::vector<Slice> slices(std::size_t extent, std::size_t parts, std::size_t first,
                          std::size_t count) {
  std::vector<Slice> found;
  for (std::size_t at = first; at < first + count;) {
    const std::size_t index = part_holding(extent, parts, at);
    const Range part = part_of(extent, parts, index);
    const std::size_t end = std::min(first + count, part.first + part.count);
    found.push_back({index, end - at});
    at = end;
  }
  return found;
}

}  // namespace

std::vector<Owned> owners_used(const Problem& problem, unsigned rank) {
  const Pattern& pattern = problem.pattern;
  assert(pattern.use != Use::all);
  if (pattern.use == Use::interleaved) return {{rank, own_count(problem, rank)}};
  const Box box = used_box(problem, rank);
  std::array<std::vector<Slice>, axes> along;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    along[axis] =
        slices(problem.shape.extents[axis], problem.grid[axis], box.first[axis], box.count[axis]);
  }
  std::vector<Owned> found;
  for (const Slice& z : along[axis_z]) {
    for (const Slice& y : along[axis_y]) {
      for (const Slice& x : along[axis_x]) {
        const std::size_t owner =
            (z.part * problem.grid[axis_y] + y.part) * problem.grid[axis_x] + x.part;
        found.push_back({static_cast<unsigned>(owner), z.count * y.count * x.count});
      }
    }
  }
  return found;
}

}  // namespace homenode::workloads::map
