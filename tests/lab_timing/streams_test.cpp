#include "lab/timing/streams.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::lab {
namespace {

constexpr std::uint64_t start = 1'000'000;

std::uint64_t line_at(std::int64_t step, int i) {
  return start + static_cast<std::uint64_t>(step * i);
}

TEST(Streams, AreRecognisedAfterThreeEqualSteps) {
  for (const std::int64_t step : {1, 2, 3, 4, -1, -2, -3, -4}) {
    Streams streams;
    for (int i = 0; i < 100; ++i) {
      std::uint64_t since_ps = 0;
      const auto now_ps = static_cast<std::uint64_t>(1000 + i);
      EXPECT_EQ(streams.follow(line_at(step, i), now_ps, since_ps), i > 3) << step << ' ' << i;
      EXPECT_EQ(since_ps, i > 3 ? 1003U : 0U);
    }
  }
}

TEST(Streams, HaveStepsOfUpToFourLines) {
  for (const std::int64_t step : {5, -5, 16, 64}) {
    Streams streams;
    std::uint64_t since_ps = 0;
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(streams.follow(line_at(step, i), 0, since_ps));
  }
}

TEST(Streams, GoOnPastLinesThatWereInACache) {
  Streams streams;
  std::uint64_t since_ps = 0;
  for (int i = 0; i < 4; ++i) (void)streams.follow(start + static_cast<unsigned>(i), 0, since_ps);
  EXPECT_TRUE(streams.follow(start + 19, 0, since_ps));
  EXPECT_FALSE(streams.follow(start + 19 + 17, 0, since_ps));
  EXPECT_FALSE(streams.follow(start + 18, 0, since_ps));
  EXPECT_TRUE(streams.follow(start + 20, 0, since_ps));
}

TEST(Streams, AreFollowedSideBySide) {
  Streams streams;
  std::uint64_t since_ps = 0;
  for (unsigned i = 0; i < 50; ++i) {
    for (std::uint64_t walk = 0; walk < 12; ++walk) {
      const std::uint64_t line = start * (walk + 1) + (walk % 2 == 0 ? i : 1000 - i);
      EXPECT_EQ(streams.follow(line, 0, since_ps), i > 3) << walk << ' ' << i;
    }
  }
}

TEST(Streams, AreRarelySeenInRandomMisses) {
  for (const std::uint64_t lines : {64U, 1U << 20U}) {
    Streams streams;
    std::mt19937_64 random(13);
    std::uint64_t since_ps = 0;
    int seen = 0;
    for (int i = 0; i < 100'000; ++i) seen += streams.follow(start + random() % lines, 0, since_ps);
    RecordProperty("seen_in_" + std::to_string(lines), seen);
    EXPECT_LT(seen, lines > 64 ? 10 : 25'000);
  }
}

TEST(Streams, AreRareWhereEachPageGetsAFewRandomMisses) {
  Streams streams;
  std::mt19937_64 random(14);
  std::uint64_t since_ps = 0;
  int seen = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    seen += streams.follow(start + i / 8 * 64 + random() % 64, 0, since_ps);
  }
  EXPECT_LT(seen, 1'000);
}

TEST(Streams, AreForgottenWhenCleared) {
  Streams streams;
  std::uint64_t since_ps = 0;
  for (unsigned i = 0; i < 10; ++i) (void)streams.follow(start + i, 0, since_ps);
  streams.clear();
  EXPECT_FALSE(streams.follow(start + 10, 0, since_ps));
}

}  // namespace
}  // namespace homenode::lab
