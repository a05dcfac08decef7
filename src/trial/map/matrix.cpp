#include "trial/map/matrix.h"

#include <algorithm>

#include "placement/strategies/nodes.h"

namespace homenode::trial {
namespace {

using workloads::map::Operation;
using workloads::map::Span;

/// Calls count(page, elements) for each page that a line of the span touches, a run of elements at
/// a time. A line: `count` elements from `first`.
template <class Count>
void for_each_page_of_line(const Span& span, std::size_t first, std::size_t per_page, Count count) {
  for (std::size_t done = 0; done < span.count;) {
    const std::size_t position = first + done * span.stride;
    const std::size_t page = position / per_page;
    const std::size_t left_in_page = (page + 1) * per_page - position;
    const std::size_t fit = (left_in_page + span.stride - 1) / span.stride;
    const std::size_t elements = std::min(span.count - done, fit);
    count(page, elements);
    done += elements;
  }
}

template <class Count>
void for_each_page(const Span& span, std::size_t per_page, Count count) {
  for (std::size_t k = 0; k < span.outer.count; ++k) {
    for (std::size_t j = 0; j < span.middle.count; ++j) {
      const std::size_t first = span.first + k * span.outer.stride + j * span.middle.stride;
      for_each_page_of_line(span, first, per_page, count);
    }
  }
}

}  // namespace

ComputedAccess compute_access(const AccessFacts& facts, const std::vector<NodeId>& nodes) {
  // The place of each page's node in `nodes`; one past the end for pages without a node.
  std::vector<std::size_t> column_of_page;
  column_of_page.reserve(facts.node_of_page.size());
  for (const std::optional<NodeId>& node : facts.node_of_page) {
    const auto found = node ? std::find(nodes.begin(), nodes.end(), *node) : nodes.end();
    column_of_page.push_back(static_cast<std::size_t>(found - nodes.begin()));
  }

  std::vector<access::ThreadRank> ranks;
  for (unsigned rank = 0; rank < facts.walks.size(); ++rank) ranks.emplace_back(rank);
  ComputedAccess result{access::ThreadMatrix(ranks, nodes), 0};
  const std::uint64_t reads = facts.operation == Operation::write ? 0 : facts.passes;
  const std::uint64_t writes = facts.operation == Operation::read ? 0 : facts.passes;
  std::vector<std::uint64_t> elements;
  for (access::ThreadRank rank : ranks) {
    const std::vector<Span>& walk = facts.walks[rank.value()];
    // Where everybody uses everything, once is enough.
    if (rank.value() == 0 || walk != facts.walks[rank.value() - 1]) {
      elements.assign(nodes.size() + 1, 0);
      for (const Span& span : walk) {
        for_each_page(span, facts.elements_per_page, [&](std::size_t page, std::size_t count) {
          elements[column_of_page[page]] += count;
        });
      }
    }
    for (std::size_t column = 0; column < nodes.size(); ++column) {
      result.by_thread.at(rank, nodes[column]) = {elements[column] * reads,
                                                  elements[column] * writes};
    }
    result.accesses_without_node += elements.back() * (reads + writes);
  }
  return result;
}

access::ElementMatrix expected_elements(const machine::Machine& machine,
                                        const workloads::map::Problem& problem,
                                        const std::vector<NodeId>& node_of_thread,
                                        const std::vector<NodeId>& nodes) {
  namespace map = workloads::map;
  access::ElementUse use;
  use.node_of_thread = node_of_thread;
  const bool shared_by_all = problem.pattern.use == map::Use::all;
  for (unsigned rank = 0; rank < problem.threads; ++rank) {
    use.home_of_thread.push_back(placement::nearest_memory(machine, node_of_thread[rank]));
    auto& used = use.used_by_thread.emplace_back();
    if (shared_by_all) {
      used.push_back({std::nullopt, problem.elements()});
      continue;
    }
    for (const map::Owned& owned : map::owners_used(problem, rank)) {
      used.push_back({owned.owner, owned.count});
    }
  }
  return access::expected_elements(use, nodes);
}

}  // namespace homenode::trial
