#include "lab/timing/timeline.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

constexpr ThreadKey thread{0x5000, 0x10};
constexpr std::uint64_t us = 1'000'000;

TEST(Timeline, JoinsWhatFollowsAndIsAlike) {
  Timeline timeline(1);
  Timeline::Track& track = timeline.track(0);
  track.add({thread, Activity::kernel, 0, 5, 0});
  track.add({thread, Activity::kernel, 5, 9, 0});
  track.add({thread, Activity::kernel, 9, 9, 0});
  track.add({thread, Activity::user, 9, 20, 3});
  track.add({thread, Activity::user, 20, 30, 4});
  track.add({thread, Activity::user, 31, 40, 0});
  ASSERT_EQ(track.intervals().size(), 3U);
  EXPECT_EQ(track.intervals()[0].to_ps, 9U);
  EXPECT_EQ(track.intervals()[1].to_ps, 30U);
  EXPECT_EQ(track.intervals()[1].stall_ps, 7U);
}

TEST(Timeline, KeepsSleepsApart) {
  Timeline timeline(1);
  timeline.track(0).add({thread, Activity::sleeping, 0, 5, 0, 4});
  timeline.track(0).add({thread, Activity::sleeping, 5, 9, 0, 8});
  EXPECT_EQ(timeline.track(0).intervals().size(), 2U);
}

TEST(Timeline, CutsUserCodeLessFinelyAsTimeGoesOn) {
  Timeline timeline(1);
  Timeline::Track& track = timeline.track(0);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    track.add({thread, Activity::user, i * us, (i + 1) * us, 0});
  }
  // A second: 1000 of 10 us in its first 10 ms, then 1000 times ln(100).
  EXPECT_GT(track.intervals().size(), 5000U);
  EXPECT_LT(track.intervals().size(), 6000U);
}

TEST(Timeline, CountsWhatItHasNoRoomFor) {
  Timeline timeline(2, 3);
  for (std::uint64_t i = 0; i < 4; ++i) {
    timeline.track(i % 2).add({thread, Activity::sleeping, i, i + 1, 0});
  }
  EXPECT_EQ(timeline.dropped(), 1U);
  timeline.clear();
  EXPECT_EQ(timeline.dropped(), 0U);
  timeline.track(0).add({thread, Activity::sleeping, 0, 1, 0});
  EXPECT_EQ(timeline.track(0).intervals().size(), 1U);
}

}  // namespace
}  // namespace homenode::lab
