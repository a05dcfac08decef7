#include "workloads/map/pattern.h"

#include <algorithm>
#include <cassert>

#include "workloads/map/shape.h"

namespace homenode::workloads::map {
namespace {

/// Drops empty spans, so that walkers and tests never meet one.
std::vector<Span> only_filled(std::vector<Span> all) {
  std::erase_if(all, [](const Span& span) { return size_of(span) == 0; });
  return all;
}

/// Where a thread is in the grid.
PerAxis place_in_grid(const Grid& grid, unsigned rank) {
  return {rank / grid[axis_x] / grid[axis_y], rank / grid[axis_x] % grid[axis_y],
          rank % grid[axis_x]};
}

Grid grid_or_row(const Pattern& pattern, const Shape& shape, unsigned threads) {
  if (const auto grid = grid_for(pattern, shape, threads)) return *grid;
  const auto& cut = pattern.cut;
  Grid row{1, 1, 1};
  row[static_cast<std::size_t>(std::find(cut.begin(), cut.end(), true) - cut.begin())] = threads;
  return row;
}

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

Problem::Problem(const Pattern& its_pattern, Shape its_shape, unsigned its_threads,
                 unsigned its_overlap)
    : pattern(its_pattern),
      shape(its_shape),
      threads(its_threads),
      overlap_percent(its_overlap),
      grid(grid_or_row(its_pattern, its_shape, its_threads)) {
  assert(shape.dimensions == pattern.dimensions);
}

Span own_part(const Problem& problem, unsigned rank) {
  assert(rank < problem.threads);
  const Range part = part_of(problem.elements(), problem.threads, rank);
  return {part.first, part.count, 1};
}

Box own_box(const Problem& problem, unsigned rank) {
  assert(rank < problem.threads);
  const PerAxis at = place_in_grid(problem.grid, rank);
  Box box;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Range part = part_of(problem.shape.extents[axis], problem.grid[axis], at[axis]);
    box.first[axis] = part.first;
    box.count[axis] = part.count;
  }
  return box;
}

Box used_box(const Problem& problem, unsigned rank) {
  assert(problem.overlap_percent <= 100);
  Box box = own_box(problem, rank);
  if (!problem.pattern.overlaps) return box;
  const PerAxis at = place_in_grid(problem.grid, rank);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto share = [&](std::size_t neighbour) {
      const Range part = part_of(problem.shape.extents[axis], problem.grid[axis], neighbour);
      return share_of(part.count, problem.overlap_percent);
    };
    if (at[axis] > 0) {
      const std::size_t before = share(at[axis] - 1);
      box.first[axis] -= before;
      box.count[axis] += before;
    }
    if (at[axis] + 1 < problem.grid[axis]) box.count[axis] += share(at[axis] + 1);
  }
  return box;
}

std::size_t own_count(const Problem& problem, unsigned rank) {
  // Interleaved threads own as many as contiguous parts would have: the remainder goes to the first
  // threads in both.
  if (problem.pattern.use != Use::boxes) return own_part(problem, rank).count;
  const Box box = own_box(problem, rank);
  return box.count[0] * box.count[1] * box.count[2];
}

unsigned owner(const Problem& problem, std::size_t element) {
  assert(element < problem.elements());
  const Pattern& pattern = problem.pattern;
  if (pattern.use == Use::interleaved) return static_cast<unsigned>(element % problem.threads);
  if (pattern.use == Use::all) {
    return static_cast<unsigned>(part_holding(problem.elements(), problem.threads, element));
  }
  const PerAxis at = coordinates(problem.shape, element);
  std::size_t rank = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    rank = rank * problem.grid[axis] +
           part_holding(problem.shape.extents[axis], problem.grid[axis], at[axis]);
  }
  return static_cast<unsigned>(rank);
}

std::size_t owned_run(const Problem& problem, std::size_t element) {
  const unsigned rank = owner(problem, element);
  const Use use = problem.pattern.use;
  if (use == Use::interleaved) return 1;
  if (use == Use::all) {
    const Span part = own_part(problem, rank);
    return part.first + part.count - element;
  }
  const Box box = own_box(problem, rank);
  const std::size_t x = element % problem.shape.extents[axis_x];
  return box.first[axis_x] + box.count[axis_x] - x;
}

std::size_t share_of(std::size_t count, unsigned overlap_percent) {
  // Rounded down without the product's overflow: 100 a + b elements give a p + b p / 100.
  return count / 100 * overlap_percent + count % 100 * overlap_percent / 100;
}

Span span_of(const Box& box, const PerAxis& strides, const AxisOrder& walk) {
  Span span;
  span.count = 1;
  std::array<Loop, axes> loops;
  std::size_t used = 0;
  for (std::size_t depth = axes; depth-- > 0;) {  // Innermost first.
    const Axis axis = walk[depth];
    span.first += box.first[axis] * strides[axis];
    if (box.count[axis] == 0) return {span.first, 0, 1};
    const Loop loop{box.count[axis], strides[axis]};
    if (loop.count == 1) continue;
    if (used > 0 && loop.stride == loops[used - 1].count * loops[used - 1].stride) {
      loops[used - 1].count *= loop.count;
    } else {
      loops[used++] = loop;
    }
  }
  if (used > 0) {
    span.count = loops[0].count;
    span.stride = loops[0].stride;
  }
  if (used > 1) span.middle = loops[1];
  if (used > 2) span.outer = loops[2];
  return span;
}

std::vector<Span> spans(const Problem& problem, unsigned rank) {
  assert(rank < problem.threads);
  const Pattern& pattern = problem.pattern;
  const PerAxis strides = strides_of(problem.shape.extents);
  switch (pattern.use) {
    case Use::all:
      return only_filled({span_of({{0, 0, 0}, problem.shape.extents}, strides, pattern.walk)});
    case Use::interleaved:
      return only_filled({{rank, own_count(problem, rank), problem.threads}});
    case Use::boxes:
      break;
  }
  return only_filled({span_of(used_box(problem, rank), strides, pattern.walk)});
}

std::vector<Span> rotated(const Span& span, std::size_t start) {
  assert(span.stride == 1 && span.count == size_of(span));
  assert(start >= span.first && start <= span.first + span.count);
  const std::size_t before = start - span.first;
  return only_filled({{start, span.count - before, 1}, {span.first, before, 1}});
}

std::size_t count_of(const std::vector<Span>& spans) {
  std::size_t count = 0;
  for (const Span& span : spans) count += size_of(span);
  return count;
}

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
