#include "access/expected.h"

#include <gtest/gtest.h>

namespace homenode::access {
namespace {

const std::vector<NodeId> nodes{NodeId(0), NodeId(4), NodeId(7)};

/// Nodes 0, 4 and 7, whose distances are 20 from each other.
machine::Machine three_nodes() {
  machine::Machine machine;
  machine.distances = machine::Distances{Matrix<NodeId, NodeId>(nodes, nodes, 20.0)};
  for (NodeId node : nodes) machine.distances->values.at(node, node) = 10;
  return machine;
}

TEST(ExpectedElements, LieInTheHomeOfTheirOwner) {
  // Node 4 has no memory of its own: its home is node 7.
  const ElementUse use{.node_of_thread = {NodeId(0), NodeId(4)},
                       .home_of_thread = {NodeId(0), NodeId(7)},
                       .used_by_thread = {{{0, 6}, {1, 2}}, {{1, 5}}}};
  const ElementMatrix matrix = expected_elements(use, nodes);
  EXPECT_EQ(matrix.at(NodeId(0), NodeId(0)), 6.0);
  EXPECT_EQ(matrix.at(NodeId(0), NodeId(7)), 2.0);
  EXPECT_EQ(matrix.at(NodeId(4), NodeId(7)), 5.0);
  EXPECT_EQ(matrix.at(NodeId(4), NodeId(4)), 0.0);
  EXPECT_DOUBLE_EQ(local_share(matrix), 6.0 / 13);
}

TEST(ExpectedElements, AreSpreadEvenlyOverAllHomesWhereTheyAreEverybodys) {
  const ElementUse use{.node_of_thread = {NodeId(0), NodeId(0), NodeId(4)},
                       .home_of_thread = {NodeId(0), NodeId(0), NodeId(7)},
                       .used_by_thread = {{{{}, 8}}, {{{}, 8}}, {{{}, 8}}}};
  const ElementMatrix matrix = expected_elements(use, nodes);
  EXPECT_EQ(matrix.at(NodeId(0), NodeId(0)), 8.0);
  EXPECT_EQ(matrix.at(NodeId(0), NodeId(7)), 8.0);
  EXPECT_EQ(matrix.at(NodeId(4), NodeId(0)), 4.0);
  EXPECT_EQ(matrix.at(NodeId(4), NodeId(4)), 0.0);
}

TEST(Shares, AddUpToOneOrAreAllNothing) {
  NodeMatrix counts(nodes, nodes);
  EXPECT_EQ(shares_of(counts), ElementMatrix(nodes, nodes));
  EXPECT_EQ(local_share(ElementMatrix(nodes, nodes)), 0.0);
  counts.at(NodeId(0), NodeId(0)) = {2, 1};
  counts.at(NodeId(4), NodeId(7)) = {0, 9};
  const ElementMatrix shares = shares_of(counts);
  EXPECT_DOUBLE_EQ(shares.at(NodeId(0), NodeId(0)), 0.25);
  EXPECT_DOUBLE_EQ(shares.at(NodeId(4), NodeId(7)), 0.75);
}

TEST(PenaltyOf, IsTheMeanDistanceOfBothMatricesOrUnknown) {
  NodeMatrix observed(nodes, nodes);
  ElementMatrix expected(nodes, nodes);
  EXPECT_FALSE(penalty_of(three_nodes(), observed, expected));
  observed.at(NodeId(0), NodeId(4)) = {3, 0};
  observed.at(NodeId(0), NodeId(0)) = {1, 0};
  expected.at(NodeId(0), NodeId(0)) = 4.0;
  const auto penalty = penalty_of(three_nodes(), observed, expected);
  ASSERT_TRUE(penalty);
  EXPECT_DOUBLE_EQ(penalty->observed, 1.75);
  EXPECT_DOUBLE_EQ(penalty->expected, 1.0);
  EXPECT_DOUBLE_EQ(penalty->leakage(), 0.75);
  EXPECT_FALSE(penalty_of(machine::Machine(), observed, expected));
}

}  // namespace
}  // namespace homenode::access
