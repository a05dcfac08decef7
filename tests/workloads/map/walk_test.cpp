#include "workloads/map/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace homenode::workloads::map {
namespace {

std::vector<std::size_t> random_order(const Span& span, std::uint64_t seed) {
  std::vector<std::size_t> order;
  walk_random(span, seed, [&](std::size_t index) { order.push_back(index); });
  return order;
}

std::vector<std::size_t> sequential_order(const Span& span) {
  std::vector<std::size_t> order;
  walk_sequential(span, [&](std::size_t index) { order.push_back(index); });
  return order;
}

TEST(WalkSequential, FollowsTheSpan) {
  EXPECT_EQ(sequential_order({5, 3, 7}), (std::vector<std::size_t>{5, 12, 19}));
  EXPECT_TRUE(sequential_order({5, 0, 7}).empty());
}

TEST(WalkRandom, IsAPermutationOfTheSpan) {
  for (std::size_t count : {1U, 2U, 3U, 4U, 5U, 63U, 64U, 65U, 1000U, 4096U, 4097U}) {
    for (std::uint64_t seed : {0U, 1U, 2U, 99U}) {
      SCOPED_TRACE(count);
      SCOPED_TRACE(seed);
      const Span span{7, count, 3};
      auto order = random_order(span, seed);
      std::sort(order.begin(), order.end());
      ASSERT_EQ(order, sequential_order(span));
    }
  }
  EXPECT_TRUE(random_order({0, 0, 1}, 1).empty());
}

TEST(WalkRandom, RepeatsWithTheSeedAndDiffersWithAnother) {
  const Span span{0, 1000, 1};
  EXPECT_EQ(random_order(span, 5), random_order(span, 5));
  EXPECT_NE(random_order(span, 5), random_order(span, 6));
}

TEST(WalkRandom, IsScatteredOverPagesAndHasNoFixedStride) {
  const auto order = random_order({0, 1U << 14, 1}, 1);
  std::size_t same_page = 0;
  std::size_t same_step = 0;
  for (std::size_t i = 2; i < order.size(); ++i) {
    same_page += order[i] / 64 == order[i - 1] / 64 ? 1U : 0U;
    same_step += order[i] - order[i - 1] == order[i - 1] - order[i - 2] ? 1U : 0U;
  }
  // 256 pages: chance alone gives 64 of 16,384 neighbours on one page.
  EXPECT_LT(same_page, 300U);
  EXPECT_LT(same_step, 300U);
}

}  // namespace
}  // namespace homenode::workloads::map
