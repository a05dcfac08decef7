#include "workloads/map/layout.h"

#include <algorithm>
#include <cassert>

namespace homenode::workloads::map {
namespace {

/// The position of an element within its owner's part.
std::size_t place_in_part(const Problem& problem, unsigned rank, std::size_t element) {
  if (problem.pattern.use == Use::interleaved) return element / problem.threads;
  const Box box = own_box(problem, rank);
  const PerAxis strides = strides_of(box.count);
  const PerAxis at = coordinates(problem.shape, element);
  std::size_t place = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    place += (at[axis] - box.first[axis]) * strides[axis];
  }
  return place;
}

/// How many elements the pattern walks before this one.
std::size_t place_in_walk(const Problem& problem, std::size_t element) {
  const PerAxis at = coordinates(problem.shape, element);
  std::size_t place = 0;
  for (const Axis axis : problem.pattern.walk) {
    place = place * problem.shape.extents[axis] + at[axis];
  }
  return place;
}

/// The positions of the box that begins at `corner`: as much of `whole` as the corner's owner has.
struct Piece {
  Span positions;
  PerAxis count{};
};

Piece piece_at(const Layout& layout, const Box& whole, const PerAxis& corner) {
  const PerAxis strides = strides_of(layout.problem.shape.extents);
  std::size_t element = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) element += corner[axis] * strides[axis];
  const unsigned rank = owner(layout.problem, element);
  const Box part = own_box(layout.problem, rank);
  Box within_part;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::size_t end =
        std::min(whole.first[axis] + whole.count[axis], part.first[axis] + part.count[axis]);
    within_part.first[axis] = corner[axis] - part.first[axis];
    within_part.count[axis] = end - corner[axis];
  }
  Piece piece{span_of(within_part, strides_of(part.count), layout.problem.pattern.walk),
              within_part.count};
  piece.positions.first += layout.part_begins[rank];
  return piece;
}

/// A box cut where one part ends and the next begins: with neighbours on both sides along each
/// axis these are 27 pieces at most.
std::vector<Span> cut_at_parts(const Layout& layout, const Box& box) {
  std::vector<Span> cut;
  PerAxis end{};
  for (std::size_t axis = 0; axis < axes; ++axis) end[axis] = box.first[axis] + box.count[axis];
  PerAxis corner = box.first;
  for (PerAxis step{}; corner[axis_z] < end[axis_z]; corner[axis_z] += step[axis_z]) {
    for (corner[axis_y] = box.first[axis_y]; corner[axis_y] < end[axis_y];
         corner[axis_y] += step[axis_y]) {
      for (corner[axis_x] = box.first[axis_x]; corner[axis_x] < end[axis_x];
           corner[axis_x] += step[axis_x]) {
        const Piece piece = piece_at(layout, box, corner);
        cut.push_back(piece.positions);
        step = piece.count;
      }
    }
  }
  return cut;
}

}  // namespace

Layout natural_layout(const Problem& problem) {
  return {problem, {}, problem.elements(), false};
}

Layout owner_layout(const Problem& problem, std::size_t elements_per_page) {
  assert(elements_per_page > 0 && problem.pattern.use != Use::all);
  Layout layout{problem, {}, 0, false};
  for (unsigned rank = 0; rank < problem.threads; ++rank) {
    layout.part_begins.push_back(layout.positions);
    const std::size_t count = own_count(problem, rank);
    const std::size_t pages = (count + elements_per_page - 1) / elements_per_page;
    layout.positions += pages * elements_per_page;
  }
  return layout;
}

Layout walk_layout(const Problem& problem) {
  assert(problem.pattern.use == Use::all);
  return {problem, {}, problem.elements(), true};
}

std::size_t position(const Layout& layout, std::size_t element) {
  if (layout.in_walk_order) return place_in_walk(layout.problem, element);
  if (!layout.by_owner()) return element;
  const unsigned rank = owner(layout.problem, element);
  return layout.part_begins[rank] + place_in_part(layout.problem, rank, element);
}

std::vector<Span> spans_in_memory(const Layout& layout, unsigned rank) {
  const Problem& problem = layout.problem;
  if (layout.in_walk_order) return {{0, layout.positions, 1}};
  if (!layout.by_owner()) return spans(problem, rank);
  const std::size_t count = own_count(problem, rank);
  if (problem.pattern.use == Use::interleaved) {
    if (count == 0) return {};
    return {{layout.part_begins[rank], count, 1}};
  }
  const Box box = used_box(problem, rank);
  if (box.count[0] * box.count[1] * box.count[2] == 0) return {};
  return cut_at_parts(layout, box);
}

}  // namespace homenode::workloads::map
