#include "access/access_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace homenode::access {
namespace {

std::vector<ThreadRank> ranks(unsigned count) {
  std::vector<ThreadRank> all;
  for (unsigned rank = 0; rank < count; ++rank) all.emplace_back(rank);
  return all;
}

std::vector<NodeId> node_list(std::initializer_list<unsigned> ids) {
  std::vector<NodeId> nodes;
  for (unsigned id : ids) nodes.emplace_back(id);
  return nodes;
}

/// A matrix of random counts; the seed is in the test's trace.
ThreadMatrix random_matrix(std::mt19937& random, unsigned threads,
                           const std::vector<NodeId>& nodes) {
  ThreadMatrix matrix(ranks(threads), nodes);
  for (ThreadRank rank : matrix.rows()) {
    for (NodeId node : nodes) matrix.at(rank, node) = {random() % 1000, random() % 1000};
  }
  return matrix;
}

std::vector<NodeId> random_nodes(std::mt19937& random, unsigned threads,
                                 const std::vector<NodeId>& nodes) {
  std::vector<NodeId> of_thread;
  for (unsigned i = 0; i < threads; ++i) of_thread.push_back(nodes[random() % nodes.size()]);
  return of_thread;
}

TEST(Fold, AddsTheThreadsOfANode) {
  const auto nodes = node_list({0, 3});
  ThreadMatrix by_thread(ranks(3), nodes);
  by_thread.at(ThreadRank(0), NodeId(0)) = {1, 10};
  by_thread.at(ThreadRank(1), NodeId(0)) = {2, 20};
  by_thread.at(ThreadRank(2), NodeId(3)) = {4, 40};
  const auto by_node = fold(by_thread, node_list({3, 3, 0}), nodes);
  EXPECT_EQ(by_node.at(NodeId(3), NodeId(0)), (Counts{3, 30}));
  EXPECT_EQ(by_node.at(NodeId(0), NodeId(3)), (Counts{4, 40}));
  EXPECT_EQ(by_node.at(NodeId(0), NodeId(0)), Counts{});
}

TEST(Fold, KeepsNodesWithoutThreadsAsRowsOfZeros) {
  const auto nodes = node_list({0, 1});
  ThreadMatrix by_thread(ranks(1), nodes, {1, 0});
  const auto by_node = fold(by_thread, node_list({0}), nodes);
  EXPECT_EQ(by_node.at(NodeId(1), NodeId(0)), Counts{});
  EXPECT_EQ(by_node.at(NodeId(0), NodeId(1)), (Counts{1, 0}));
}

TEST(Fold, ConservesTotals) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto nodes = node_list({0, 2, 5, 64});
    const unsigned threads = 1 + static_cast<unsigned>(random() % 9);
    const auto by_thread = random_matrix(random, threads, nodes);
    Counts expected;
    for (ThreadRank rank : by_thread.rows()) {
      for (NodeId node : nodes) expected += by_thread.at(rank, node);
    }
    EXPECT_EQ(total(fold(by_thread, random_nodes(random, threads, nodes), nodes)), expected);
  }
}

TEST(LocalShare, IsOneForADiagonalMatrixAndOneOverNForAFlatOne) {
  const auto nodes = node_list({0, 1, 2, 3});
  NodeMatrix diagonal(nodes, nodes);
  for (NodeId node : nodes) diagonal.at(node, node) = {7, 3};
  EXPECT_DOUBLE_EQ(local_share(diagonal), 1.0);
  EXPECT_DOUBLE_EQ(local_share(NodeMatrix(nodes, nodes, {2, 5})), 0.25);
  EXPECT_DOUBLE_EQ(local_share(NodeMatrix()), 0.0);
  EXPECT_DOUBLE_EQ(local_share(NodeMatrix(nodes, nodes)), 0.0);
}

TEST(LocalShare, CountsReadsAndWritesTogether) {
  const auto nodes = node_list({0, 1});
  NodeMatrix matrix(nodes, nodes);
  matrix.at(NodeId(0), NodeId(0)) = {3, 0};
  matrix.at(NodeId(0), NodeId(1)) = {0, 1};
  EXPECT_DOUBLE_EQ(local_share(matrix), 0.75);
}

TEST(ColumnConcentration, IsOneForOneColumnAndOneOverNForAFlatMatrix) {
  const auto nodes = node_list({0, 1, 2, 3});
  NodeMatrix column(nodes, nodes);
  for (NodeId node : nodes) column.at(node, NodeId(2)) = {7, 3};
  EXPECT_DOUBLE_EQ(column_concentration(column), 1.0);
  EXPECT_DOUBLE_EQ(column_concentration(NodeMatrix(nodes, nodes, {2, 5})), 0.25);
  EXPECT_DOUBLE_EQ(column_concentration(NodeMatrix()), 0.0);
}

TEST(Shares, DoNotDependOnTheNamesOfTheNodes) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto nodes = node_list({0, 1, 2, 3});
    auto renamed = node_list({9, 70, 4, 11});
    std::shuffle(renamed.begin(), renamed.end(), random);
    const auto by_thread = random_matrix(random, 6, nodes);
    const auto of_thread = random_nodes(random, 6, nodes);
    ThreadMatrix by_thread_renamed(by_thread.rows(), renamed);
    std::vector<NodeId> of_thread_renamed;
    for (ThreadRank rank : by_thread.rows()) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        by_thread_renamed.at(rank, renamed[i]) = by_thread.at(rank, nodes[i]);
      }
      of_thread_renamed.push_back(renamed[of_thread[rank.value()].value()]);
    }
    const auto before = fold(by_thread, of_thread, nodes);
    const auto after = fold(by_thread_renamed, of_thread_renamed, renamed);
    EXPECT_DOUBLE_EQ(local_share(before), local_share(after));
    EXPECT_DOUBLE_EQ(column_concentration(before), column_concentration(after));
  }
}

TEST(Provenance, HasAName) {
  EXPECT_EQ(to_string(Provenance::exact), "exact");
  EXPECT_EQ(to_string(Provenance::sampled), "sampled");
  EXPECT_EQ(to_string(Provenance::computed), "computed");
}

}  // namespace
}  // namespace homenode::access
