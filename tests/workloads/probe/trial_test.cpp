#include "workloads/probe/kernels.h"

#include <gtest/gtest.h>

#include <vector>

namespace homenode::workloads::probe {
namespace {

TEST(Fastest, IsTheCandidateThatTakesLeast) {
  for (std::size_t candidates = 1; candidates <= 9; ++candidates) {
    for (std::size_t best = 0; best < candidates; ++best) {
      const auto seconds = [&](std::size_t i) { return i == best ? 1.0 : 2.0 + double(i); };
      EXPECT_EQ(fastest(candidates, seconds), best) << candidates;
    }
  }
}

TEST(Fastest, ADisturbedTryDoesNotDecide) {
  // Each first try takes long, as where something else ran.
  std::vector<int> tries(6, 0);
  const auto seconds = [&](std::size_t i) {
    return tries[i]++ == 0 ? 100.0 : (i == 4 ? 1.0 : 1.5);
  };
  EXPECT_EQ(fastest(6, seconds), 4U);
}

TEST(Fastest, TriesTheSlowLess) {
  std::vector<std::size_t> tries(8, 0);
  const auto seconds = [&](std::size_t i) {
    ++tries[i];
    return 1.0 + static_cast<double>(i);
  };
  EXPECT_EQ(fastest(8, seconds), 0U);
  EXPECT_EQ(tries, (std::vector<std::size_t>{9, 9, 6, 6, 3, 3, 3, 3}));
}

TEST(Fastest, OfEqualsIsTheFirst) {
  EXPECT_EQ(fastest(7, [](std::size_t) { return 1.0; }), 0U);
}

}  // namespace
}  // namespace homenode::workloads::probe
