#include "workloads/stress/targets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace homenode::workloads::stress {
namespace {

using Lists = std::vector<std::vector<unsigned>>;

TEST(StressTargets, AreTheNextNodeOrTheOneAfterThePair) {
  EXPECT_EQ(default_targets(Pattern::neighbour, 4), (std::vector<unsigned>{1, 2, 3, 0}));
  EXPECT_EQ(default_targets(Pattern::random, 3), (std::vector<unsigned>{1, 2, 0}));
  EXPECT_EQ(default_targets(Pattern::shared, 8), (std::vector<unsigned>{2, 2, 4, 4, 6, 6, 0, 0}));
  EXPECT_EQ(default_targets(Pattern::shared, 3), (std::vector<unsigned>{2, 2, 1}));
  for (Pattern pattern : {Pattern::neighbour, Pattern::random, Pattern::shared}) {
    EXPECT_EQ(default_targets(pattern, 1), std::vector<unsigned>{0});
  }
}

TEST(StressTeam, CountsThreadsNodeByNode) {
  const Team team{{2, 1, 3}, {1, 2, 0}};
  EXPECT_EQ(team.threads(), 6U);
  EXPECT_EQ(team.first_of_node(), (std::vector<unsigned>{0, 2, 3}));
  EXPECT_EQ(team.node_of_thread(), (std::vector<unsigned>{0, 0, 1, 2, 2, 2}));
}

TEST(StressBlocks, PatternOneGivesThreadIBlockIOfTheTarget) {
  const Team team{{2, 2, 2}, {1, 2, 0}};
  EXPECT_EQ(blocks_of_threads(team, Pattern::neighbour, 1), (Lists{{2}, {3}, {4}, {5}, {0}, {1}}));
}

TEST(StressBlocks, BeginAgainWhereTheTargetHasFewer) {
  const Team team{{3, 1}, {1, 0}};
  EXPECT_EQ(blocks_of_threads(team, Pattern::neighbour, 1), (Lists{{3}, {3}, {3}, {0}}));
}

TEST(StressBlocks, PatternTwoGivesEveryThreadAllBlocksOfTheTarget) {
  const Team team{{1, 2, 2, 1}, {2, 2, 0, 0}};
  EXPECT_EQ(blocks_of_threads(team, Pattern::shared, 1),
            (Lists{{3, 4}, {3, 4}, {3, 4}, {0}, {0}, {0}}));
}

TEST(StressBlocks, AtRandomStayOnTheTargetAndFollowTheSeed) {
  const Team team{{64, 64}, {1, 0}};
  const Lists blocks = blocks_of_threads(team, Pattern::random, 7);
  for (unsigned thread = 0; thread < 128; ++thread) {
    ASSERT_EQ(blocks[thread].size(), 1U);
    EXPECT_EQ(blocks[thread][0] / 64, thread < 64 ? 1U : 0U);
  }
  EXPECT_EQ(blocks, blocks_of_threads(team, Pattern::random, 7));
  EXPECT_NE(blocks, blocks_of_threads(team, Pattern::random, 8));
  EXPECT_NE(blocks, blocks_of_threads(team, Pattern::neighbour, 7));
}

TEST(StressUsers, AreTheInverse) {
  EXPECT_EQ(users_of_blocks({{1}, {0, 1}, {1}}), (Lists{{1}, {0, 1, 2}, {}}));
}

}  // namespace
}  // namespace homenode::workloads::stress
