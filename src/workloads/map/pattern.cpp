#include "workloads/map/pattern.h"

#include <algorithm>
#include <cassert>

namespace homenode::workloads::map {
namespace {

/// Drops empty spans, so that walkers and tests never meet one.
std::vector<Span> only_filled(std::vector<Span> all) {
  std::erase_if(all, [](const Span& span) { return span.count == 0; });
  return all;
}

}  // namespace

Span own_part(const Problem& problem, unsigned rank) {
  assert(rank < problem.threads);
  const std::size_t even = problem.elements / problem.threads;
  const std::size_t longer = problem.elements % problem.threads;
  return {rank * even + std::min<std::size_t>(rank, longer), even + (rank < longer ? 1 : 0), 1};
}

unsigned owner(const Problem& problem, std::size_t element) {
  assert(element < problem.elements);
  if (problem.pattern == Pattern::interleaved) {
    return static_cast<unsigned>(element % problem.threads);
  }
  const std::size_t even = problem.elements / problem.threads;
  const std::size_t longer = problem.elements % problem.threads;
  const std::size_t in_longer_parts = longer * (even + 1);
  if (element < in_longer_parts) return static_cast<unsigned>(element / (even + 1));
  return static_cast<unsigned>(longer + (element - in_longer_parts) / even);
}

std::size_t share_of(const Problem& problem, unsigned neighbour) {
  assert(problem.overlap_percent <= 100);
  // Rounded down without the product's overflow: 100 a + b elements give a p + b p / 100.
  const std::size_t count = own_part(problem, neighbour).count;
  return count / 100 * problem.overlap_percent + count % 100 * problem.overlap_percent / 100;
}

std::vector<Span> spans(const Problem& problem, unsigned rank) {
  assert(rank < problem.threads);
  switch (problem.pattern) {
    case Pattern::shared:
      return only_filled({{0, problem.elements, 1}});
    case Pattern::divided:
      return only_filled({own_part(problem, rank)});
    case Pattern::interleaved: {
      // As many as the t-th part has: the remainder goes to the first threads in both.
      return only_filled({{rank, own_part(problem, rank).count, problem.threads}});
    }
    case Pattern::partial:
      break;
  }
  // Own part and both shares touch each other: one contiguous span.
  Span all = own_part(problem, rank);
  if (rank > 0) {
    const std::size_t left = share_of(problem, rank - 1);
    all.first -= left;
    all.count += left;
  }
  if (rank + 1 < problem.threads) all.count += share_of(problem, rank + 1);
  return only_filled({all});
}

std::vector<Span> rotated(const Span& span, std::size_t start) {
  assert(span.stride == 1 && start >= span.first && start <= span.first + span.count);
  const std::size_t before = start - span.first;
  return only_filled({{start, span.count - before, 1}, {span.first, before, 1}});
}

std::size_t count_of(const std::vector<Span>& spans) {
  std::size_t count = 0;
  for (const Span& span : spans) count += span.count;
  return count;
}

}  // namespace homenode::workloads::map
