// MAP-numa 1D: which elements each thread uses (Luo et al., NPC 2012, Fig. 1 a-d). Pure functions,
// so that the expected access matrix can be computed exactly and the kernels tested against it.
#pragma once

#include <cstddef>
#include <vector>

namespace homenode::workloads::map {

enum class Pattern {
  shared,       ///< Every thread uses every element.
  divided,      ///< Thread t uses the t-th of T contiguous parts.
  interleaved,  ///< Thread t uses elements t, t + T, t + 2T, …
  partial,      ///< As divided, plus a share of the parts of both neighbours.
};

/// The logical question: it knows threads and elements, nothing of nodes or pages.
/// pre of every function here: threads > 0, overlap_percent <= 100, rank < threads.
struct Problem {
  Pattern pattern = Pattern::shared;
  std::size_t elements = 0;
  unsigned threads = 1;
  unsigned overlap_percent = 0;  ///< Of each neighbour's part; used by partial alone.
};

/// Elements first, first + stride, …, `count` of them.
struct Span {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t stride = 1;
  friend bool operator==(const Span&, const Span&) = default;
};

/// The t-th of T contiguous parts. The first (elements mod T) parts have one element more.
Span own_part(const Problem& problem, unsigned rank);

/// The thread whose part holds the element: t for an element of part t; for interleaved the element
/// modulo T; for shared, where nobody owns anything, as divided.
unsigned owner(const Problem& problem, std::size_t element);

/// Elements that partial's thread `rank` uses of its neighbour's part: overlap_percent of that
/// part, rounded down. From the left neighbour (rank - 1) it takes the last ones, from the right
/// neighbour the first ones; the ends of the array have one neighbour only.
std::size_t share_of(const Problem& problem, unsigned neighbour);

/// The elements that thread `rank` uses in one pass, in walking order; each exactly once.
std::vector<Span> spans(const Problem& problem, unsigned rank);

/// The same elements as a contiguous span, walked from `start` to the end and then from the
/// beginning. pre: span.stride == 1, start is within the span or at its end.
std::vector<Span> rotated(const Span& span, std::size_t start);

/// How many elements the spans have together.
std::size_t count_of(const std::vector<Span>& spans);

}  // namespace homenode::workloads::map
