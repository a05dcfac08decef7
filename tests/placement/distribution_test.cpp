#include "placement/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "placement/distribution_table.h"

namespace homenode::placement {
namespace {

/// M nodes whose ids are sparse and in no order.
std::vector<NodeId> sparse_nodes(std::size_t count) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(NodeId(static_cast<unsigned>(i * 37 % 101 + 3)));
  }
  return nodes;
}

std::map<NodeId, std::size_t> pages_on_node(const PageMap& map) {
  std::map<NodeId, std::size_t> counts;
  for (NodeId node : map) ++counts[node];
  return counts;
}

TEST(Block, IsContiguousBalancedAndInTheOrderOfTheNodes) {
  for (std::size_t count = 1; count <= 17; ++count) {
    const std::vector<NodeId> nodes = sparse_nodes(count);
    for (std::size_t pages = 0; pages <= 5 * count + 3; ++pages) {
      const PageMap map = block(pages, nodes);
      ASSERT_EQ(map.size(), pages);
      std::vector<NodeId> order = map;
      order.erase(std::unique(order.begin(), order.end()), order.end());
      const std::size_t used = std::min(pages, count);
      ASSERT_EQ(order, std::vector<NodeId>(nodes.begin(), nodes.begin() + static_cast<long>(used)));
      for (const auto& [node, on_node] : pages_on_node(map)) {
        ASSERT_GE(on_node, pages / count);
        ASSERT_LE(on_node, (pages + count - 1) / count);
      }
    }
  }
}

TEST(Cyclic, GivesPagePToNodePOverBModM) {
  for (std::size_t count = 1; count <= 17; ++count) {
    const std::vector<NodeId> nodes = sparse_nodes(count);
    for (std::size_t pages_per_block : {1U, 2U, 3U, 8U, 512U}) {
      const std::size_t pages = 3 * count * pages_per_block + 1;
      const PageMap map = cyclic(pages, nodes, pages_per_block);
      ASSERT_EQ(map.size(), pages);
      for (std::size_t page = 0; page < pages; ++page) {
        ASSERT_EQ(map[page], nodes[(page / pages_per_block) % count]);
      }
    }
  }
}

TEST(ExplicitMap, ConcatenatesRunsThatAddUp) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<placement::Run> runs(random() % 9);
    PageMap expected;
    for (placement::Run& run : runs) {
      run = {random() % 5, NodeId(static_cast<unsigned>(random() % 4))};
      expected.insert(expected.end(), run.pages, run.node);
    }
    const auto map = explicit_map(expected.size(), runs);
    ASSERT_TRUE(map);
    EXPECT_EQ(*map, expected);
    EXPECT_FALSE(explicit_map(expected.size() + 1, runs));
    if (!expected.empty()) {
      EXPECT_FALSE(explicit_map(expected.size() - 1, runs));
    }
  }
}

TEST(ExplicitMap, RefusesRunsWhoseSumWouldWrapAround) {
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  const std::vector<placement::Run> runs{{huge, NodeId(0)}, {3, NodeId(1)}};
  const auto map = explicit_map(2, runs);
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ErrorCode::bad_usage);
}

TEST(DistributionTable, FindsEveryNameThatItLists) {
  const std::vector<NodeId> nodes = sparse_nodes(3);
  ASSERT_FALSE(distributions().empty());
  for (const Distribution& distribution : distributions()) {
    const auto found = find_distribution(distribution.name);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->map(7, nodes).size(), 7U);
  }
  EXPECT_EQ(find_distribution("cyclic")->map(7, nodes), cyclic(7, nodes));
  EXPECT_EQ(find_distribution("block")->map(7, nodes), block(7, nodes));
}

TEST(DistributionTable, ListsTheNamesWhenOneIsUnknown) {
  const auto found = find_distribution("blocks");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("block, cyclic"), std::string::npos);
}

}  // namespace
}  // namespace homenode::placement
