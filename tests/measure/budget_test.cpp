#include "measure/statistics.h"

#include <gtest/gtest.h>

namespace homenode::measure {
namespace {

TEST(Budget, DividesWhatIsLeftOverFiguresAndRuns) {
  EXPECT_DOUBLE_EQ(run_seconds(12.0, 200, 5), 0.01);
  EXPECT_DOUBLE_EQ(run_seconds(12.0, 100, 5), 0.02);
}

TEST(Budget, KeepsRunsWithinReason) {
  EXPECT_DOUBLE_EQ(run_seconds(60.0, 1, 1), longest_run_s);
  EXPECT_DOUBLE_EQ(run_seconds(0.0, 100, 5), shortest_run_s);
  EXPECT_DOUBLE_EQ(run_seconds(-3.0, 100, 5), shortest_run_s);
}

TEST(Units, FollowFromTheSpeedOfTheRunBefore) {
  EXPECT_EQ(units_for(0.01, 1000, 0.001, 10, 1'000'000), 10'000U);
  EXPECT_EQ(units_for(0.01, 1000, 0.001, 20'000, 1'000'000), 20'000U);
  EXPECT_EQ(units_for(0.01, 1000, 0.001, 10, 5000), 5000U);
}

TEST(Units, AreTheLeastWhereTheClockDidNotMove) {
  EXPECT_EQ(units_for(0.01, 1000, 0.0, 10, 5000), 10U);
}

TEST(Units, NeverExceedTheMost) {
  EXPECT_EQ(units_for(0.01, 1000, 0.001, 100, 50), 50U);
}

}  // namespace
}  // namespace homenode::measure
