// MAP-numa 1D: where each element lies in memory. The natural layout is the array itself; the
// rewritten one gives every thread a contiguous, page-aligned part of its own, so that a page has
// one owner. That is what the paper's "manual rewrite" does to the source. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/map/pattern.h"

namespace homenode::workloads::map {

/// Element e lies at position(e), in units of one element from the start of the memory.
struct Layout {
  Problem problem;
  /// Where each thread's part begins; empty for the natural layout, in which position(e) == e.
  std::vector<std::size_t> part_begins;
  std::size_t positions = 0;  ///< Elements of memory needed, padding included.

  [[nodiscard]] bool by_owner() const { return !part_begins.empty(); }
};

/// The array as it stands.
Layout natural_layout(const Problem& problem);

/// Part after part, each starting at a multiple of `elements_per_page`. Divided and partial keep
/// the order within a part; interleaved becomes thread-major: element t + kT is the k-th of part t.
/// pre: elements_per_page > 0; the pattern is not shared, which has no owners.
Layout owner_layout(const Problem& problem, std::size_t elements_per_page);

/// pre: element < problem.elements.
std::size_t position(const Layout& layout, std::size_t element);

/// spans(problem, rank) as positions, in the same walking order.
std::vector<Span> spans_in_memory(const Layout& layout, unsigned rank);

}  // namespace homenode::workloads::map
