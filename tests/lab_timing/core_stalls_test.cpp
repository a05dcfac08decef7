// What a core waits for, by where the line comes from; and what a `pause` costs.
#include <numeric>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

TEST(CoreStalls, CountsItsWaitsByWhereTheLineCameFrom) {
  TimingModel model = small_machine(2, 1);
  add_last_level(model);
  Machine machine(model);
  const auto load = [&](std::uint64_t address) { machine.load(address, AccessShape().ordered()); };
  load(0);
  load(std::uint64_t{1} << node_shift);
  machine.store(far_apart, AccessShape().ordered(), 1);
  load(far_apart);
  // Those that the first two push out of the caches are found in the last level.
  for (std::uint64_t i = 1; i < 2000; ++i) machine.load(i * line_bytes, AccessShape().ordered());
  load(0);
  const auto stalls = machine.core().stalls_ps();
  ASSERT_EQ(stalls.size(), 5U);
  EXPECT_GT(stalls[0], local_ps);
  EXPECT_EQ(stalls[1], remote_ps);
  EXPECT_EQ(stalls[2], remote_ps);  // As far as the node of the cache that has it.
  EXPECT_EQ(std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0}),
            machine.core().counts().stall_ps);
}

TEST(CoreStalls, CountsItsWaitsForTheLastLevel) {
  TimingModel model = small_machine(1, 2);
  add_last_level(model);
  Machine machine(model);
  machine.load(0, AccessShape().ordered(), 1);
  machine.load(0, AccessShape().ordered());
  const auto stalls = machine.core().stalls_ps();
  EXPECT_EQ(stalls[0], 0U);
  EXPECT_EQ(stalls[2], last_level_ps);
}

TEST(Core, TellsWhichMissesItHadAskedForAhead) {
  std::vector<bool> ahead;
  Machine machine(small_machine());
  machine.core().on_miss(
      [](void* data, const Core::PrivateMiss& miss) {
        static_cast<std::vector<bool>*>(data)->push_back(miss.prefetched);
      },
      &ahead);
  for (std::uint64_t line = 0; line < 6; ++line) machine.load(line * 64);
  machine.load(far_apart);
  // Three equal steps make a walk.
  EXPECT_EQ(ahead, (std::vector<bool>{false, false, false, false, true, true, false}));
}

TEST(Core, TellsWhichMissesACacheHad) {
  TimingModel model = small_machine(1, 2);
  add_last_level(model);
  Machine machine(model);
  std::vector<bool> cached;
  for (unsigned vcpu = 0; vcpu < 2; ++vcpu) {
    machine.core(vcpu).on_miss(
        [](void* data, const Core::PrivateMiss& miss) {
          static_cast<std::vector<bool>*>(data)->push_back(miss.from_cache);
        },
        &cached);
  }
  machine.load(0, AccessShape().ordered(), 1);
  machine.load(0, AccessShape().ordered());
  machine.load(far_apart, AccessShape().ordered());
  EXPECT_EQ(cached, (std::vector<bool>{false, true, false}));
}

TEST(Core, TakesLongerForAPause) {
  Machine machine(small_machine());
  machine.execute(2);
  machine.core().pause();
  EXPECT_EQ(machine.core().now_ps(), 2 * instruction_ps + pause_ps);
  machine.core().charge(false);
  machine.core().pause();
  EXPECT_EQ(machine.core().now_ps(), 2 * instruction_ps + pause_ps);
  EXPECT_EQ(machine.core().counts().busy_ps, 2 * instruction_ps + pause_ps);
}

TEST(CoreStalls, CountsHowManyMissesAreInFlight) {
  Machine one_by_one(small_machine());
  for (std::uint64_t i = 0; i < 5; ++i) one_by_one.load(i * far_apart, chase());
  EXPECT_EQ(one_by_one.core().counts().latency_ps, 5 * local_ps);
  EXPECT_EQ(one_by_one.core().counts().in_flight_ps, 5 * local_ps);
  Machine together(small_machine());
  for (std::uint64_t i = 0; i < 5; ++i) together.load(i * far_apart);
  EXPECT_EQ(together.core().counts().latency_ps, 5 * local_ps);
  EXPECT_EQ(together.core().counts().in_flight_ps, local_ps);
}

}  // namespace
}  // namespace homenode::lab
