#include "workloads/map/layout.h"

#include <algorithm>
#include <cassert>

namespace homenode::workloads::map {
namespace {

/// The position of an element within its owner's part.
std::size_t place_in_part(const Problem& problem, std::size_t element) {
  if (problem.pattern == Pattern::interleaved) return element / problem.threads;
  return element - own_part(problem, owner(problem, element)).first;
}

/// A contiguous span of elements, cut where one part ends and the next begins.
std::vector<Span> cut_at_parts(const Layout& layout, const Span& span) {
  std::vector<Span> cut;
  for (std::size_t done = 0; done < span.count;) {
    const std::size_t element = span.first + done;
    const Span part = own_part(layout.problem, owner(layout.problem, element));
    const std::size_t left_in_part = part.first + part.count - element;
    const std::size_t count = std::min(span.count - done, left_in_part);
    cut.push_back({position(layout, element), count, 1});
    done += count;
  }
  return cut;
}

}  // namespace

Layout natural_layout(const Problem& problem) {
  return {problem, {}, problem.elements};
}

Layout owner_layout(const Problem& problem, std::size_t elements_per_page) {
  assert(elements_per_page > 0 && problem.pattern != Pattern::shared);
  Layout layout{problem, {}, 0};
  for (unsigned rank = 0; rank < problem.threads; ++rank) {
    layout.part_begins.push_back(layout.positions);
    // Thread t owns as many elements when interleaved as when divided.
    const std::size_t count = own_part(problem, rank).count;
    const std::size_t pages = (count + elements_per_page - 1) / elements_per_page;
    layout.positions += pages * elements_per_page;
  }
  return layout;
}

std::size_t position(const Layout& layout, std::size_t element) {
  if (!layout.by_owner()) return element;
  return layout.part_begins[owner(layout.problem, element)] +
         place_in_part(layout.problem, element);
}

std::vector<Span> spans_in_memory(const Layout& layout, unsigned rank) {
  std::vector<Span> logical = spans(layout.problem, rank);
  if (!layout.by_owner()) return logical;
  std::vector<Span> in_memory;
  for (const Span& span : logical) {
    if (layout.problem.pattern == Pattern::interleaved) {
      in_memory.push_back({position(layout, span.first), span.count, 1});
      continue;
    }
    const std::vector<Span> cut = cut_at_parts(layout, span);
    in_memory.insert(in_memory.end(), cut.begin(), cut.end());
  }
  return in_memory;
}

}  // namespace homenode::workloads::map
