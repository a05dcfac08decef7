#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <vector>

namespace homenode::measure {
namespace {

TEST(Summary, OfAnOddNumberOfRuns) {
  const Summary summary = summarise(std::vector{100.0, 90.0, 104.0});
  EXPECT_DOUBLE_EQ(summary.median, 100.0);
  EXPECT_DOUBLE_EQ(summary.spread, 0.04);  // Distances 0, 4, 10; their median 4.
  EXPECT_DOUBLE_EQ(summary.least, 90.0);
  EXPECT_DOUBLE_EQ(summary.most, 104.0);
  EXPECT_EQ(summary.runs, 3U);
}

TEST(Summary, OfAnEvenNumberTakesTheMiddleOfTheTwo) {
  const Summary summary = summarise(std::vector{4.0, 1.0, 3.0, 2.0});
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.spread, 1.0 / 2.5);
}

TEST(Summary, OneDisturbedRunMovesNeitherMedianNorSpread) {
  const Summary summary = summarise(std::vector{100.0, 100.0, 100.0, 100.0, 900.0});
  EXPECT_DOUBLE_EQ(summary.median, 100.0);
  EXPECT_DOUBLE_EQ(summary.spread, 0.0);
  EXPECT_DOUBLE_EQ(summary.most, 900.0);
  EXPECT_FALSE(is_noisy(summary));
}

TEST(Summary, OfNothingIsZero) {
  EXPECT_EQ(summarise({}), Summary{});
}

TEST(Noisy, BeginsAboveFivePercentAndWithASingleRun) {
  EXPECT_FALSE(is_noisy(summarise(std::vector{95.0, 100.0, 105.0})));
  EXPECT_TRUE(is_noisy(summarise(std::vector{94.0, 100.0, 106.0})));
  EXPECT_TRUE(is_noisy(summarise(std::vector{100.0})));
}

TEST(Noisy, IsAFigureWhoseCpusDidOtherWorkInMostRuns) {
  const std::vector values{100.0, 100.0, 100.0};
  EXPECT_FALSE(is_noisy(summarise(values, std::vector{0.0, 0.04, 0.9})));
  EXPECT_TRUE(is_noisy(summarise(values, std::vector{0.0, 0.06, 0.9})));
}

}  // namespace
}  // namespace homenode::measure
