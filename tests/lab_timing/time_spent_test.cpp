#include "lab/timing/time_spent.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

constexpr ThreadKey one{0x5000, 0x10};

TEST(ThreadTime, AddsUp) {
  const SystemCall call{SystemCall::futex, 0x7f00, 0};
  const Wake by_one{1, one, 4};
  const Wake by_none{1, std::nullopt, 1};
  ThreadTime time;
  time.first_ps = 50;
  time.stalls_ps = {1, 2};
  time.sleep(call, 10, &by_one);
  ThreadTime more;
  more.first_ps = 20;
  more.busy_ps = 100;
  more.spun_ps = 30;
  more.kernel_ps = 5;
  more.ready_ps = 9;
  more.stalls_ps = {10, 20};
  more.sleep(call, 1, &by_none);
  time.add(more);
  EXPECT_EQ(time.first_ps, 20U);
  EXPECT_EQ(time.stalls_ps, (std::vector<std::uint64_t>{11, 22}));
  EXPECT_EQ(time.computed_ps(), 100U - 30 - 5 - 33);
  EXPECT_EQ(time.slept_ps(), 11U);
  EXPECT_EQ(time.ready_ps, 9U);
  const Sleeps& sleeps = time.sleeps.at(call);
  EXPECT_EQ(sleeps.times, 2U);
  EXPECT_EQ(sleeps.most_at_once, 4U);
  EXPECT_EQ(sleeps.woken_by_none, 1U);
  EXPECT_EQ(sleeps.woken_by.at(one), 1U);
}

TEST(ThreadTime, StopsTellingFutexesApartWhereThereAreMany) {
  ThreadTime time;
  for (std::uint64_t i = 1; i <= 1000; ++i) time.sleep({SystemCall::futex, i, 0}, 1, nullptr);
  time.sleep({SystemCall::futex, 1, 0}, 1, nullptr);
  EXPECT_EQ(time.sleeps.size(), 65U);
  EXPECT_EQ(time.sleeps.at({SystemCall::futex, 0, 0}).times, 1000U - 64);
  EXPECT_EQ(time.sleeps.at({SystemCall::futex, 1, 0}).times, 2U);
  EXPECT_EQ(time.slept_ps(), 1001U);
}

}  // namespace
}  // namespace homenode::lab
