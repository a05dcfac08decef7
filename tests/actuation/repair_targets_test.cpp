// What rules mean for pages that are already somewhere.
#include "actuation/repair_targets.h"

#include <gtest/gtest.h>

namespace homenode::actuation {
namespace {

const NodeSet all{NodeId(0), NodeId(1), NodeId(64)};

std::vector<unsigned> targets(const std::string& text, const std::vector<unsigned>& now) {
  const auto rule = placement::parse_memory_rule(text, all);
  EXPECT_TRUE(rule) << text;
  const auto made = WhereTargets::make(*rule, now.size());
  EXPECT_TRUE(made) << text;
  std::vector<unsigned> nodes;
  for (std::size_t i = 0; i < now.size(); ++i) {
    nodes.push_back(made->of(i, NodeId(now[i])).value());
  }
  return nodes;
}

using Nodes = std::vector<unsigned>;

TEST(WhereTargets, BindKeepsWhatIsOnItsNodes) {
  EXPECT_EQ(targets("bind@1", {0, 1, 64}), (Nodes{1, 1, 1}));
  EXPECT_EQ(targets("bind@1,64", {64, 1, 0, 0}), (Nodes{64, 1, 1, 64}));
  EXPECT_EQ(targets("preferred@64", {0, 1}), (Nodes{64, 64}));
  EXPECT_EQ(targets("preferred-many@0-1", {0, 1, 64}), (Nodes{0, 1, 0}));
}

TEST(WhereTargets, InterleaveDealsThePagesOut) {
  EXPECT_EQ(targets("interleave@0-1", {0, 0, 0, 0}), (Nodes{0, 1, 0, 1}));
  EXPECT_EQ(targets("interleave", {0, 0, 0, 0}), (Nodes{0, 1, 64, 0}));
}

TEST(WhereTargets, DistributionsAreMapsOfTheWholeMapping) {
  EXPECT_EQ(targets("block@0-1", {64, 64, 64, 64}), (Nodes{0, 0, 1, 1}));
  EXPECT_EQ(targets("map:1x64,2x0", {1, 1, 1}), (Nodes{64, 0, 0}));
}

TEST(WhereTargets, RulesThatNameNoNodeAreRefused) {
  for (const char* text : {"default", "local", "weighted-interleave", "next-touch"}) {
    const auto rule = placement::parse_memory_rule(text, all);
    ASSERT_TRUE(rule) << text;
    const auto made = WhereTargets::make(*rule, 4);
    ASSERT_FALSE(made) << text;
    EXPECT_EQ(made.error().code, ErrorCode::bad_usage);
    EXPECT_FALSE(made.error().next.empty());
  }
  EXPECT_FALSE(WhereTargets::make(*placement::parse_memory_rule("map:3x0", all), 4));
}

}  // namespace
}  // namespace homenode::actuation
