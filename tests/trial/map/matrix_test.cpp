#include "trial/map/matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "workloads/map/layout.h"
#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/pattern.h"

namespace homenode::trial {
namespace {

using workloads::map::Operation;
using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;
using workloads::map::Problem;
using workloads::map::Span;
using Walks = std::vector<std::vector<Span>>;
using Pages = std::vector<std::optional<NodeId>>;

constexpr std::size_t per_page = 64;

Walks walks_of(const Problem& problem) {
  Walks walks;
  for (unsigned rank = 0; rank < problem.threads; ++rank) walks.push_back(spans(problem, rank));
  return walks;
}

std::vector<NodeId> nodes_upto(unsigned count) {
  std::vector<NodeId> nodes;
  for (unsigned id = 0; id < count; ++id) nodes.emplace_back(id);
  return nodes;
}

Pages cyclic_pages(std::size_t pages, unsigned nodes) {
  Pages node_of_page;
  for (std::size_t page = 0; page < pages; ++page) {
    node_of_page.emplace_back(NodeId(static_cast<unsigned>(page % nodes)));
  }
  return node_of_page;
}

access::Counts cell(const ComputedAccess& computed, unsigned rank, unsigned node) {
  return computed.by_thread.at(access::ThreadRank(rank), NodeId(node));
}

TEST(ComputeAccess, IsFlatForAnySpreadPatternOverInterleavedPages) {
  // 4 threads, 16 pages over 4 nodes: every thread meets every node equally.
  const Pages pages = cyclic_pages(16, 4);
  const auto nodes = nodes_upto(4);
  const Walks shared = walks_of({patterns::shared, 1024, 4, 0});
  const Walks interleaved = walks_of({patterns::interleaved, 1024, 4, 0});
  const auto of_shared = compute_access({shared, pages, per_page, Operation::read, 3}, nodes);
  const auto of_interleaved =
      compute_access({interleaved, pages, per_page, Operation::write, 1}, nodes);
  for (unsigned rank = 0; rank < 4; ++rank) {
    for (unsigned node = 0; node < 4; ++node) {
      EXPECT_EQ(cell(of_shared, rank, node), (access::Counts{3 * 256, 0}));
      EXPECT_EQ(cell(of_interleaved, rank, node), (access::Counts{0, 64}));
    }
  }
}

TEST(ComputeAccess, IsDiagonalForDividedOverBlocks) {
  Pages pages;
  for (unsigned node = 0; node < 4; ++node) pages.insert(pages.end(), 4, NodeId(node));
  const Walks divided = walks_of({patterns::divided, 1024, 4, 0});
  const auto computed =
      compute_access({divided, pages, per_page, Operation::readwrite, 2}, nodes_upto(4));
  for (unsigned rank = 0; rank < 4; ++rank) {
    for (unsigned node = 0; node < 4; ++node) {
      const std::uint64_t expected = rank == node ? 512 : 0;
      EXPECT_EQ(cell(computed, rank, node), (access::Counts{expected, expected}));
    }
  }
  EXPECT_EQ(computed.accesses_without_node, 0U);
}

TEST(ComputeAccess, CountsPagesWithoutANodeApart) {
  const Walks divided = walks_of({patterns::divided, 128, 2, 0});
  const auto computed = compute_access(
      {divided, {NodeId(0), std::nullopt}, per_page, Operation::readwrite, 5}, nodes_upto(1));
  EXPECT_EQ(cell(computed, 0, 0), (access::Counts{320, 320}));
  EXPECT_EQ(cell(computed, 1, 0), access::Counts{});
  EXPECT_EQ(computed.accesses_without_node, 640U);
}

TEST(ComputeAccess, EqualsCountingElementByElement) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&random](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    const Problem problem{workloads::map::all_patterns()[pick(4)], 1 + pick(3000), 1 + pick(9),
                          pick(101)};
    const Walks walks = walks_of(problem);
    Pages pages;
    for (std::size_t page = 0; page * per_page < problem.elements(); ++page) {
      pages.emplace_back(NodeId(pick(3)));
    }
    const auto computed =
        compute_access({walks, pages, per_page, Operation::read, 1}, nodes_upto(3));
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      std::vector<std::uint64_t> expected(3, 0);
      for (const Span& span : walks[rank]) {
        for (std::size_t i = 0; i < span.count; ++i) {
          ++expected[pages[(span.first + i * span.stride) / per_page]->value()];
        }
      }
      for (unsigned node = 0; node < 3; ++node) {
        EXPECT_EQ(cell(computed, rank, node).reads, expected[node]);
      }
    }
  }
}

}  // namespace
}  // namespace homenode::trial
