#include "workloads/probe/cycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace homenode::workloads::probe {
namespace {

TEST(Scatter, IsAPermutationForAnyCountAndSeed) {
  for (std::size_t count : {1U, 2U, 3U, 5U, 8U, 63U, 64U, 65U, 1000U, 4096U}) {
    for (std::uint64_t seed : {0U, 1U, 7U, 123456789U}) {
      const Scatter scatter(count, seed);
      std::set<std::size_t> seen;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t value = scatter(i);
        ASSERT_LT(value, count);
        seen.insert(value);
      }
      EXPECT_EQ(seen.size(), count) << "seed " << seed;
    }
  }
}

TEST(Scatter, HasFewNeighboursInAnOrderOfManyLines) {
  constexpr std::size_t count = 1 << 16;
  const Scatter scatter(count, 1);
  std::size_t neighbours = 0;
  std::set<std::size_t> strides;
  for (std::size_t i = 1; i < count; ++i) {
    const auto stride = static_cast<long>(scatter(i)) - static_cast<long>(scatter(i - 1));
    if (std::abs(stride) <= 2) ++neighbours;
    strides.insert(static_cast<std::size_t>(std::abs(stride)));
  }
  EXPECT_LT(neighbours, count / 1000);
  EXPECT_GT(strides.size(), count / 8);
}

/// The lines in the order in which the cycle visits them.
std::vector<std::size_t> visits(std::vector<Stop>& array, const CycleShape& shape) {
  Stop* const first = link_cycle(array.data(), shape);
  std::vector<std::size_t> order;
  for (Stop* stop = first; order.empty() || stop != first; stop = follow(stop, 1)) {
    order.push_back(static_cast<std::size_t>(stop - array.data()));
    if (order.size() > array.size()) break;
  }
  return order;
}

TEST(Cycle, VisitsEveryLineOnceBeforeItComesBack) {
  for (const CycleShape shape : {CycleShape{1, 1, 1, 1}, CycleShape{1000, 1000, 1, 1},
                                 CycleShape{1024, 1024, 1, 2}, CycleShape{640, 64, 1, 3}}) {
    std::vector<Stop> array(shape.lines);
    const auto order = visits(array, shape);
    EXPECT_EQ(order.size(), shape.lines);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), shape.lines);
  }
}

TEST(Cycle, StaysInAPageUntilAllItsLinesAreVisited) {
  constexpr std::size_t group = 64;
  std::vector<Stop> array(20 * group);
  const auto order = visits(array, {array.size(), group, 1, 5});
  std::vector<std::size_t> pages;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % group == 0) pages.push_back(order[i] / group);
    EXPECT_EQ(order[i] / group, pages.back());
  }
  EXPECT_FALSE(std::is_sorted(pages.begin(), pages.end()));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.begin() + group));
}

TEST(Cycle, LeavesTheOtherLineOfEachPairOut) {
  std::vector<Stop> array(20 * 64);
  const auto order = visits(array, {array.size(), 64, 2, 5});
  EXPECT_EQ(order.size(), array.size() / 2);
  for (std::size_t line : order) EXPECT_EQ(line % 2, 0U);
}

TEST(Cycle, OwningEachLineGoesTheSameWayAndChangesNothing) {
  std::vector<Stop> array(256);
  Stop* const first = link_cycle(array.data(), {256, 256, 1, 9});
  for (std::size_t steps : {0U, 1U, 17U, 255U, 256U, 700U}) {
    EXPECT_EQ(own_and_follow(first, steps), follow(first, steps));
  }
  EXPECT_EQ(own_and_follow(first, 256), first);
}

}  // namespace
}  // namespace homenode::workloads::probe
