#include "actuation/plan.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::actuation {
namespace {

const NodeId a(0), b(9);

TEST(Plan, GroupsRunsByNode) {
  const Plan plan = make_plan({a, a, b, a, b, b}, {});
  ASSERT_EQ(plan.nodes.size(), 2U);
  EXPECT_EQ(plan.nodes[0], (NodeRuns{a, {{0, 2}, {3, 1}}}));
  EXPECT_EQ(plan.nodes[1], (NodeRuns{b, {{2, 1}, {4, 2}}}));
}

TEST(Plan, SeesWhetherTheMapDividesAHugePage) {
  const placement::PageMap map{a, a, a, a, b, b, b, b};
  EXPECT_FALSE(make_plan(map, {0, 4}).divides_huge_pages);
  EXPECT_TRUE(make_plan(map, {1, 4}).divides_huge_pages);
  EXPECT_FALSE(make_plan(map, {4, 4}).divides_huge_pages);
  EXPECT_TRUE(make_plan(map, {0, 8}).divides_huge_pages);
  EXPECT_FALSE(make_plan({a, a, a}, {1, 4}).divides_huge_pages);
  EXPECT_TRUE(make_plan({}, {}).nodes.empty());
}

TEST(Plan, SeesTheKernelsOwnInterleaving) {
  EXPECT_TRUE(make_plan({a, b, a, b, a}, {8}).interleaved);
  EXPECT_TRUE(make_plan({b, a, b}, {9}).interleaved);
  EXPECT_FALSE(make_plan({a, b, a, b}, {9}).interleaved) << "begins with the other";
  EXPECT_FALSE(make_plan({a, b, b, a}, {8}).interleaved);
  EXPECT_FALSE(make_plan({a, a, b, b}, {8}).interleaved);
  EXPECT_FALSE(make_plan({a, a, a}, {8}).interleaved) << "one node";
}

TEST(Plan, HoldsEveryPageOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    placement::PageMap map(random() % 60);
    for (NodeId& node : map) node = NodeId(static_cast<unsigned>(random() % 5));
    placement::PageMap rebuilt(map.size(), NodeId(999));
    for (const NodeRuns& node : make_plan(map, {}).nodes) {
      for (const PageRun& run : node.runs) {
        ASSERT_GT(run.pages, 0U);
        for (std::size_t page = run.first; page < run.first + run.pages; ++page) {
          ASSERT_EQ(rebuilt.at(page), NodeId(999));
          rebuilt[page] = node.node;
        }
      }
    }
    EXPECT_EQ(rebuilt, map);
  }
}

}  // namespace
}  // namespace homenode::actuation
