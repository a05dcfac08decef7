#include "placement/distributions/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "placement/distributions/table.h"
#include "support/sanitized.h"

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

/// The nodes 0 to M-1.
std::vector<NodeId> numbered_nodes(std::size_t count) {
  std::vector<NodeId> nodes;
  for (unsigned i = 0; i < count; ++i) nodes.push_back(NodeId(i));
  return nodes;
}

/// A map over nodes below 10 as a word.
std::string digits(const PageMap& map) {
  std::string text;
  for (NodeId node : map) text += static_cast<char>('0' + node.value());
  return text;
}

std::map<NodeId, std::size_t> pages_on_node(const PageMap& map) {
  std::map<NodeId, std::size_t> counts;
  for (NodeId node : map) ++counts[node];
  return counts;
}

/// Between the node that has most pages and the one that has least.
std::size_t largest_difference(const PageMap& map, const std::vector<NodeId>& nodes) {
  std::map<NodeId, std::size_t> counts = pages_on_node(map);
  for (NodeId node : nodes) counts.try_emplace(node, 0);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(), less);
  return most->second - least->second;
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

TEST(Skew, GivesBlockBToNodeBPlusItsRoundPlusOne) {
  for (std::size_t count = 1; count <= 17; ++count) {
    const std::vector<NodeId> nodes = sparse_nodes(count);
    for (std::size_t per_block : {1U, 3U, 8U}) {
      const std::size_t pages = (2 * count * count + 1) * per_block + 1;
      const PageMap map = skew(pages, nodes, per_block);
      ASSERT_EQ(map.size(), pages);
      for (std::size_t page = 0; page < pages; ++page) {
        const std::size_t b = page / per_block;
        ASSERT_EQ(map[page], nodes[(b + b / count + 1) % count]);
      }
    }
  }
}

TEST(Skew, IsTheTableOfThePaper) {
  const PageMap map = skew(16, numbered_nodes(4));
  EXPECT_EQ(digits(map), "1230230130120123");
}

TEST(Skew, MeetsEveryNodeInAWalkWhoseStrideIsTheNumberOfNodes) {
  for (std::size_t count = 2; count <= 17; ++count) {
    const PageMap map = skew(count * count, numbered_nodes(count));
    std::set<NodeId> met;
    for (std::size_t page = 0; page < map.size(); page += count) met.insert(map[page]);
    EXPECT_EQ(met.size(), count);
  }
}

TEST(Prime, FindsPrimes) {
  const std::vector<std::uint64_t> primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
  std::vector<std::uint64_t> found;
  for (std::uint64_t number = prime_above(0); number < 50; number = prime_above(number)) {
    found.push_back(number);
  }
  EXPECT_EQ(found, primes);
  EXPECT_TRUE(is_prime(4294967291));
  EXPECT_FALSE(is_prime(4294967297));  // 641 * 6700417, Euler's.
}

TEST(Prime, IsTheTableOfThePaper) {
  EXPECT_EQ(digits(prime(20, numbered_nodes(4), {.prime = 5})), "01230012310123201233");
}

TEST(Prime, DealsTheVirtualNodesThatAreNotThereOutInTurn) {
  for (std::size_t count = 1; count <= 13; ++count) {
    const std::vector<NodeId> nodes = sparse_nodes(count);
    for (std::uint64_t p : {prime_above(count - 1), prime_above(count), prime_above(3 * count)}) {
      for (std::size_t per_block : {1U, 4U}) {
        const std::size_t pages = 2 * count * p * per_block + 3;
        const PageMap map = prime(pages, nodes, {p, per_block});
        ASSERT_EQ(map.size(), pages);
        std::size_t dealt = 0;  // Told by counting, not by the formula of the code.
        for (std::size_t page = 0; page < pages; ++page) {
          const std::size_t r = page / per_block % p;
          const std::size_t node = r < count ? r : dealt / per_block % count;
          if (r >= count) ++dealt;
          ASSERT_EQ(map[page], nodes[node]) << "M " << count << ", P " << p << ", page " << page;
        }
      }
    }
  }
}

TEST(Prime, TakesThePrimeThatIsFarLargerThanTheRegion) {
  const PageMap map = prime(100, numbered_nodes(3), {.prime = 4294967291});
  EXPECT_LE(largest_difference(map, numbered_nodes(3)), 1U);
}

TEST(Random, IsTheSameForOneSeedAndAnotherForAnother) {
  const std::vector<NodeId> nodes = sparse_nodes(4);
  EXPECT_EQ(random(1000, nodes, {.seed = 7}), random(1000, nodes, {.seed = 7}));
  EXPECT_NE(random(1000, nodes, {.seed = 7}), random(1000, nodes, {.seed = 8}));
  EXPECT_EQ(digits(random(16, numbered_nodes(4), {.seed = 1})), "0011021233202331");
}

TEST(Random, FollowsNoOrder) {
  // How often a page's node is that of the page before: a quarter of 100,000, give or take 5 sigma.
  const PageMap map = random(100000, numbered_nodes(4), {.seed = 3});
  std::size_t same = 0;
  for (std::size_t page = 1; page < map.size(); ++page) same += map[page] == map[page - 1] ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(same), 25000, 5 * 137);
  std::set<NodeId> first;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    first.insert(random(1, numbered_nodes(4), {.seed = seed}).front());
  }
  EXPECT_EQ(first.size(), 4U);
}

TEST(Random, KeepsTheBlocksWhole) {
  const PageMap map = random(64, sparse_nodes(4), {.seed = 5, .pages_per_block = 8});
  for (std::size_t page = 0; page < map.size(); ++page) ASSERT_EQ(map[page], map[page / 8 * 8]);
}

TEST(Weighted, GivesEachNodeItsShareAfterAnyNumberOfPages) {
  std::mt19937 random_numbers(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random_numbers() % 9 + 1;
    std::vector<std::uint64_t> weights(count);
    for (std::uint64_t& weight : weights) weight = random_numbers() % 13;
    weights[random_numbers() % count] = random_numbers() % 100 + 1;
    std::uint64_t sum = 0;
    for (std::uint64_t weight : weights) sum += weight;
    const std::vector<NodeId> nodes = numbered_nodes(count);
    const PageMap map = weighted(2 * sum + 5, nodes, weights);
    std::vector<std::uint64_t> counts(count, 0);
    for (std::size_t page = 0; page < map.size(); ++page) {
      ++counts[map[page].value()];
      for (std::size_t node = 0; node < count; ++node) {
        const std::uint64_t share = (page + 1) * weights[node];
        ASSERT_GE(counts[node], share / sum) << "round " << round << ", page " << page;
        ASSERT_LE(counts[node], (share + sum - 1) / sum) << "round " << round << ", page " << page;
      }
    }
  }
}

TEST(Weighted, SpreadsTheHeavyNodeEvenly) {
  const std::vector<std::uint64_t> weights{5, 1};
  EXPECT_EQ(digits(weighted(12, numbered_nodes(2), weights)), "000001000001");
  const std::vector<std::uint64_t> equal{9, 9, 9};
  EXPECT_EQ(weighted(50, sparse_nodes(3), equal), cyclic(50, sparse_nodes(3)));
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

/// Parameters that make each distribution of the table meaningful.
std::vector<std::uint64_t> parameters_for(const Distribution& distribution, std::size_t count) {
  if (distribution.name == "weighted") return std::vector<std::uint64_t>(count, 3);
  if (distribution.name == "random") return {42};
  return {};
}

TEST(DistributionTable, IsBalancedForEveryNumberOfNodesAndPages) {
  for (const Distribution& distribution : distributions()) {
    for (std::size_t count = 1; count <= 13; ++count) {
      const std::vector<NodeId> nodes = sparse_nodes(count);
      const auto parameters = parameters_for(distribution, count);
      ASSERT_TRUE(distribution.check(nodes, parameters));
      for (std::size_t pages = 0; pages <= 4 * count * count + 3; pages += sanitized ? 7 : 1) {
        const PageMap map = distribution.map(pages, nodes, parameters);
        ASSERT_EQ(map.size(), pages);
        // Only prime deals out twice at once: the nodes' own turn and that of the virtual ones.
        ASSERT_LE(largest_difference(map, nodes), distribution.name == "prime" ? 2U : 1U)
            << distribution.name << ", M " << count << ", " << pages << " pages";
      }
    }
  }
}

TEST(DistributionTable, PermutingTheNodesPermutesTheMap) {
  std::mt19937 random_numbers(5);
  for (const Distribution& distribution : distributions()) {
    for (std::size_t count = 1; count <= 9; ++count) {
      const std::vector<NodeId> nodes = numbered_nodes(count);
      std::vector<NodeId> renamed = sparse_nodes(count);
      std::shuffle(renamed.begin(), renamed.end(), random_numbers);
      const auto parameters = parameters_for(distribution, count);
      PageMap map = distribution.map(77, nodes, parameters);
      for (NodeId& node : map) node = renamed[node.value()];
      EXPECT_EQ(distribution.map(77, renamed, parameters), map) << distribution.name;
    }
  }
}

TEST(DistributionTable, FindsEveryNameThatItLists) {
  const std::vector<NodeId> nodes = sparse_nodes(3);
  ASSERT_FALSE(distributions().empty());
  for (const Distribution& distribution : distributions()) {
    EXPECT_EQ(find_distribution(distribution.name)->map, distribution.map);
  }
  const std::vector<std::uint64_t> two{2};
  EXPECT_EQ(find_distribution("cyclic")->map(7, nodes, {}), cyclic(7, nodes));
  EXPECT_EQ(find_distribution("cyclic")->map(7, nodes, two), cyclic(7, nodes, 2));
  EXPECT_EQ(find_distribution("skew")->map(7, nodes, two), skew(7, nodes, 2));
  EXPECT_EQ(find_distribution("block")->map(7, nodes, {}), block(7, nodes));
  EXPECT_EQ(find_distribution("prime")->map(50, nodes, {}), prime(50, nodes, {5, 1}));
  const std::vector<std::uint64_t> seven_by_two{7, 2};
  EXPECT_EQ(find_distribution("prime")->map(50, nodes, seven_by_two), prime(50, nodes, {7, 2}));
  EXPECT_EQ(find_distribution("random")->map(50, nodes, seven_by_two), random(50, nodes, {7, 2}));
}

TEST(DistributionTable, ListsTheNamesWhenOneIsUnknown) {
  const auto found = find_distribution("blocks");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("block, cyclic"), std::string::npos);
}

}  // namespace
}  // namespace homenode::placement
