// MAP-numa: where each element lies in memory. The natural layout is the array itself. The
// rewritten ones are what the paper's "manual rewrite" does to the source: every thread's elements
// together on pages of their own, so that a page has one owner; or, where everybody uses
// everything, the elements in the order in which they are walked. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/map/pattern.h"

namespace homenode::workloads::map {

/// Element e lies at position(e), in units of one element from the start of the memory.
struct Layout {
  Problem problem;
  /// Where each thread's part begins; empty where parts do not lie apart.
  std::vector<std::size_t> part_begins;
  std::size_t positions = 0;   ///< Elements of memory needed, padding included.
  bool in_walk_order = false;  ///< Laid out as the pattern walks it.

  [[nodiscard]] bool by_owner() const { return !part_begins.empty(); }
};

/// The array as it stands.
Layout natural_layout(const Problem& problem);

/// Part after part, each starting at a multiple of `elements_per_page`. Boxes keep the order within
/// a part; interleaved becomes thread-major: element t + kT is the k-th of part t.
/// pre: elements_per_page > 0; the pattern has owners.
Layout owner_layout(const Problem& problem, std::size_t elements_per_page);

/// The elements in the order in which the pattern walks them, so that walking goes through memory
/// from its start to its end. pre: everybody uses everything.
Layout walk_layout(const Problem& problem);

/// pre: element < problem.elements().
std::size_t position(const Layout& layout, std::size_t element);

/// spans(problem, rank) as positions. The elements are the same, and so is the order in one
/// dimension; where boxes overlap in more, one owner's elements come after the other's.
std::vector<Span> spans_in_memory(const Layout& layout, unsigned rank);

}  // namespace homenode::workloads::map
