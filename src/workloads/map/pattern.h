// MAP-numa: which elements each thread uses (Luo et al., NPC 2012, Fig. 1). Pure functions, so that
// the expected access matrix can be computed exactly and the kernels tested against it. What a
// thread walks is a few nested strides, however large the array is.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/pattern.h"
#include "workloads/program/program.h"

namespace homenode::workloads::map {

/// Into how many parts each axis is cut; their product is the number of threads.
using Grid = std::array<unsigned, axes>;

/// The most even cut of the pattern's axes that leaves no thread without an element: of all such
/// the one with the fewest parts in sum, then the one that cuts slower axes more. Patterns that
/// cut nothing have one part. Nothing when there is no such cut. pre: threads > 0.
std::optional<Grid> grid_for(const Pattern& pattern, const Shape& shape, unsigned threads);

/// The logical question: it knows threads and elements, nothing of nodes or pages.
/// pre of every function here: threads > 0, overlap_percent <= 100, rank < threads; the shape has
/// the pattern's dimensions.
struct Problem {
  Problem() = default;
  Problem(const Pattern& pattern, Shape shape, unsigned threads, unsigned overlap_percent);

  Pattern pattern = patterns::shared;
  Shape shape;
  unsigned threads = 1;
  unsigned overlap_percent = 0;  ///< Of each neighbour's part; used by patterns that overlap.
  Grid grid{1, 1, 1};            ///< As grid_for(); threads in a row where that has nothing.

  [[nodiscard]] std::size_t elements() const { return shape.elements(); }
};

/// `count` steps of `stride` elements.
struct Loop {
  std::size_t count = 1;
  std::size_t stride = 0;
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// Elements first, first + stride, …, `count` of them; all that once for each step of `middle`,
/// and all of that once for each step of `outer`.
struct Span {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t stride = 1;
  Loop middle{};
  Loop outer{};
  friend bool operator==(const Span&, const Span&) = default;
};

/// How many elements the span has.
inline std::size_t size_of(const Span& span) {
  return span.count * span.middle.count * span.outer.count;
}

/// The t-th of T contiguous parts. The first (elements mod T) parts have one element more.
Span own_part(const Problem& problem, unsigned rank);

/// The thread's own box: what it owns where Use is boxes, without overlap.
Box own_box(const Problem& problem, unsigned rank);

/// The same with what the thread uses of its neighbours' boxes.
Box used_box(const Problem& problem, unsigned rank);

/// How many elements the thread owns; shared arrays are owned as if divided.
std::size_t own_count(const Problem& problem, unsigned rank);

/// The thread whose part holds the element; for interleaved the element modulo T; for shared,
/// where nobody owns anything, as divided.
unsigned owner(const Problem& problem, std::size_t element);

/// How many elements from this one on in memory have its owner for certain: at least 1, and never
/// past the end of a row. It makes going through an array by owner cheap.
std::size_t owned_run(const Problem& problem, std::size_t element);

/// Elements of one owner.
struct Owned {
  unsigned owner = 0;
  std::size_t count = 0;
  friend bool operator==(const Owned&, const Owned&) = default;
};

/// How many of the elements that the thread uses each thread owns, by owner; none is 0.
/// pre: the pattern has owners.
std::vector<Owned> owners_used(const Problem& problem, unsigned rank);

/// What an overlap takes of a neighbour's part of `count` elements: so many percent, rounded down.
/// From the neighbour before a thread takes the last ones, from the one after it the first ones.
std::size_t share_of(std::size_t count, unsigned overlap_percent);

/// A box of an array as nested strides, walked as the axes say, outermost first; loops that make
/// one are joined, those of one step left out.
Span span_of(const Box& box, const PerAxis& strides, const AxisOrder& walk);

/// The elements that thread `rank` uses in one pass, in walking order; each exactly once.
std::vector<Span> spans(const Problem& problem, unsigned rank);

/// The same elements as a contiguous span, walked from `start` to the end and then from the
/// beginning. pre: the span is contiguous, start is within the span or at its end.
std::vector<Span> rotated(const Span& span, std::size_t start);

/// How many elements the spans have together.
std::size_t count_of(const std::vector<Span>& spans);

}  // namespace homenode::workloads::map
