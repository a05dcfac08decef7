#include "workloads/map/layout.h"
#include "workloads/map/patterns/line.h"

#include <gtest/gtest.h>

#include <set>

namespace homenode::workloads::map {
namespace {

constexpr std::size_t page = 64;  // Elements of 64 bytes on a page of 4096.

std::vector<Problem> many_problems() {
  std::vector<Problem> problems;
  for (Pattern pattern : {patterns::divided, patterns::interleaved, patterns::partial}) {
    for (unsigned threads : {1U, 2U, 3U, 8U, 31U}) {
      for (std::size_t elements : {std::size_t{31}, std::size_t{64}, std::size_t{65},
                                   std::size_t{2048}, std::size_t{5003}}) {
        problems.push_back({pattern, elements, threads, 30});
      }
    }
  }
  return problems;
}

TEST(NaturalLayout, IsTheArrayItself) {
  const Problem problem{patterns::interleaved, 1000, 3, 0};
  const Layout layout = natural_layout(problem);
  EXPECT_EQ(layout.positions, 1000U);
  for (std::size_t element : {0U, 1U, 999U}) EXPECT_EQ(position(layout, element), element);
  EXPECT_EQ(spans_in_memory(layout, 2), spans(problem, 2));
}

TEST(OwnerLayout, IsABijectionOntoDistinctPositions) {
  for (const Problem& problem : many_problems()) {
    const Layout layout = owner_layout(problem, page);
    std::set<std::size_t> taken;
    for (std::size_t element = 0; element < problem.elements(); ++element) {
      const std::size_t at = position(layout, element);
      ASSERT_LT(at, layout.positions);
      ASSERT_TRUE(taken.insert(at).second) << "two elements at " << at;
    }
  }
}

TEST(OwnerLayout, GivesEveryPageOneOwner) {
  for (const Problem& problem : many_problems()) {
    const Layout layout = owner_layout(problem, page);
    EXPECT_EQ(layout.positions % page, 0U);
    std::vector<std::set<unsigned>> owners(layout.positions / page);
    for (std::size_t element = 0; element < problem.elements(); ++element) {
      owners[position(layout, element) / page].insert(owner(problem, element));
    }
    for (const auto& of_page : owners) EXPECT_EQ(of_page.size(), 1U);
  }
}

TEST(OwnerLayout, MakesInterleavedThreadMajor) {
  const Layout layout = owner_layout({patterns::interleaved, 300, 3, 0}, page);
  EXPECT_EQ(layout.part_begins, (std::vector<std::size_t>{0, 128, 256}));
  EXPECT_EQ(position(layout, 0), 0U);
  EXPECT_EQ(position(layout, 3), 1U);
  EXPECT_EQ(position(layout, 1), 128U);
  EXPECT_EQ(position(layout, 298), 128U + 99U);
  EXPECT_EQ(spans_in_memory(layout, 1), (std::vector<Span>{{128, 100, 1}}));
}

TEST(OwnerLayout, CutsPartialAtThePartsBorders) {
  const Layout layout = owner_layout({patterns::partial, 300, 3, 25}, page);
  EXPECT_EQ(spans_in_memory(layout, 1),
            (std::vector<Span>{{75, 25, 1}, {128, 100, 1}, {256, 25, 1}}));
}

TEST(SpansInMemory, AreTheLogicalSpansThroughThePositions) {
  for (const Problem& problem : many_problems()) {
    const Layout layout = owner_layout(problem, page);
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      std::vector<std::size_t> expected;
      for (const Span& span : spans(problem, rank)) {
        for (std::size_t i = 0; i < span.count; ++i) {
          expected.push_back(position(layout, span.first + i * span.stride));
        }
      }
      std::vector<std::size_t> walked;
      for (const Span& span : spans_in_memory(layout, rank)) {
        for (std::size_t i = 0; i < span.count; ++i) walked.push_back(span.first + i * span.stride);
      }
      ASSERT_EQ(walked, expected);
    }
  }
}

}  // namespace
}  // namespace homenode::workloads::map
