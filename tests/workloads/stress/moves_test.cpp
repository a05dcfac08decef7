#include "workloads/stress/moves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace homenode::workloads::stress {
namespace {

/// Nodes in a row: 10 at home and 10 more for each step.
double row_distance(NodeId from, NodeId to) {
  return 10.0 + 10.0 * std::abs(static_cast<double>(from.value()) - to.value());
}

std::optional<NodeId> on(unsigned node) {
  return NodeId(node);
}

/// One page, used by all threads; a sample for each pair of page and thread nodes.
MoveCounts moves_of_one_page(
    const std::vector<std::pair<std::optional<NodeId>, std::vector<NodeId>>>& looks) {
  std::vector<Sample> samples;
  for (const auto& [page, threads] : looks) samples.push_back({0.0, {page}, threads});
  std::vector<unsigned> users;
  for (unsigned i = 0; i < looks.front().second.size(); ++i) users.push_back(i);
  return count_moves(samples, {{0}, {users}, row_distance});
}

const std::vector<NodeId> at_0{NodeId(0)};
const std::vector<NodeId> at_2{NodeId(2)};

TEST(StressMoves, NoneWherePagesStay) {
  EXPECT_EQ(moves_of_one_page({{on(1), at_0}, {on(1), at_2}}), MoveCounts{});
}

TEST(StressMoves, OneTowardsTheThreadIsOfUse) {
  const MoveCounts counts = moves_of_one_page({{on(2), at_0}, {on(0), at_0}, {on(0), at_0}});
  EXPECT_EQ(counts, (MoveCounts{1, 1, 0, 0}));
  EXPECT_EQ(counts.useless(), 0U);
}

TEST(StressMoves, OneAwayFromTheThreadIsNot) {
  EXPECT_EQ(moves_of_one_page({{on(0), at_0}, {on(1), at_0}}), (MoveCounts{1, 0, 0, 1}));
}

TEST(StressMoves, OneToAnotherNodeAsFarMakesNoDifference) {
  const std::vector<NodeId> at_1{NodeId(1)};
  const MoveCounts counts = moves_of_one_page({{on(0), at_1}, {on(2), at_1}});
  EXPECT_EQ(counts, (MoveCounts{1, 0, 1, 0}));
  EXPECT_EQ(counts.useless(), 1U);
}

TEST(StressMoves, BetweenTwoThreadsThatBothUseThePageMakeNoDifference) {
  const std::vector<NodeId> both{NodeId(0), NodeId(2)};
  EXPECT_EQ(moves_of_one_page({{on(0), both}, {on(2), both}, {on(0), both}}),
            (MoveCounts{1, 0, 2, 0}));
}

TEST(StressMoves, AreJudgedByWhereTheThreadIsAfterwards) {
  // Two samples later the thread leaves the page behind for longer than it was near it.
  EXPECT_EQ(moves_of_one_page({{on(2), at_0}, {on(0), at_0}, {on(0), at_2}, {on(0), at_2}}),
            (MoveCounts{1, 0, 0, 1}));
  EXPECT_EQ(moves_of_one_page({{on(2), at_0}, {on(0), at_0}, {on(0), at_0}, {on(0), at_2}}),
            (MoveCounts{1, 1, 0, 0}));
}

TEST(StressMoves, AreJudgedOnlyUntilThePageMovesAgain) {
  EXPECT_EQ(moves_of_one_page({{on(2), at_0}, {on(0), at_0}, {on(2), at_2}}),
            (MoveCounts{1, 2, 0, 0}));
}

TEST(StressMoves, AreSeenAcrossSamplesThatDoNotSay) {
  EXPECT_EQ(
      moves_of_one_page({{std::nullopt, at_0}, {on(2), at_0}, {std::nullopt, at_0}, {on(0), at_0}}),
      (MoveCounts{1, 1, 0, 0}));
}

TEST(StressMoves, OfPagesThatNobodyUsesAreUseless) {
  const std::vector<Sample> samples{{0.0, {on(0)}, at_0}, {1.0, {on(1)}, at_0}};
  EXPECT_EQ(count_moves(samples, {{0}, {{}}, row_distance}), (MoveCounts{1, 0, 1, 0}));
}

TEST(LocalShare, CountsEveryUserOfEveryPage) {
  // Block 0 is used by both threads, block 1 by the second alone.
  const Uses uses{{0, 0, 1, 1}, {{0, 1}, {1}}, row_distance};
  const Sample sample{0.0, {on(0), on(2), on(2), std::nullopt}, {NodeId(0), NodeId(2)}};
  EXPECT_DOUBLE_EQ(local_share(sample, uses), 3.0 / 6.0);
  EXPECT_DOUBLE_EQ(local_share({}, {{}, {}, row_distance}), 0.0);
}

}  // namespace
}  // namespace homenode::workloads::stress
