#include "cli/measure/measure.h"

#include <gtest/gtest.h>

#include <sstream>

namespace homenode::cli {
namespace {

std::chrono::nanoseconds time_now{0};

std::chrono::nanoseconds fake_now() {
  return time_now;
}

TEST(MeasureProgress, IsAPlainLineNowAndThenWhereThereIsNoTerminal) {
  time_now = std::chrono::seconds(0);
  std::ostringstream err;
  MeasureProgress progress(err, false, fake_now);
  progress.say({1, 10, "read latency"});
  time_now = std::chrono::seconds(6);
  progress.say({5, 10, "copy, one CPU"});
  progress.say({6, 10, "copy, one CPU"});
  progress.finish();
  EXPECT_EQ(err.str(), "measuring: 5 of 10 figures (copy, one CPU)\n");
}

TEST(MeasureProgress, IsOneLineThatIsDrawnAgainOnATerminalAndErasedAtTheEnd) {
  time_now = std::chrono::seconds(0);
  std::ostringstream err;
  MeasureProgress progress(err, true, fake_now);
  time_now += std::chrono::milliseconds(200);
  progress.say({1, 10, "read latency"});
  progress.finish();
  EXPECT_EQ(err.str(), "\r\033[Kmeasuring: 1 of 10 figures (read latency)\r\033[K");
}

TEST(MeasureProgress, SaysNothingOfAShortMeasurement) {
  std::ostringstream err;
  MeasureProgress progress(err, true, fake_now);
  progress.say({1, 1, "read latency"});
  progress.finish();
  EXPECT_TRUE(err.str().empty());
}

}  // namespace
}  // namespace homenode::cli
