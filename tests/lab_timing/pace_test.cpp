#include "lab/timing/pace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using timing_test::epoch_ps;

constexpr std::chrono::hours forever(1);

TEST(Pace, KeepsVcpusWithinAnEpochOfEachOther) {
  constexpr unsigned vcpus = 3;
  Pace pace(vcpus, epoch_ps, forever);
  pace.open();
  std::vector<std::atomic<std::uint64_t>> clocks(vcpus);
  std::atomic<int> apart = 0;
  for (unsigned i = 0; i < vcpus; ++i) EXPECT_EQ(pace.enter(i, 0), 0U);
  {
    std::vector<std::jthread> threads;
    for (unsigned self = 0; self < vcpus; ++self) {
      threads.emplace_back([&, self] {
        std::mt19937_64 random(self + 1);
        std::uint64_t now_ps = 0;
        for (int i = 0; i < 3'000; ++i) {
          // Mostly small steps, now and then one of several epochs.
          now_ps += random() % 50 == 0 ? random() % (4 * epoch_ps) : random() % (epoch_ps / 4);
          clocks[self] = now_ps;
          const std::uint64_t limit_ps = pace.advance(self, now_ps);
          if (limit_ps <= now_ps || limit_ps > now_ps + epoch_ps) ++apart;
          for (const auto& other : clocks) {
            if (other.load() + epoch_ps <= now_ps) ++apart;
          }
        }
        clocks[self] = ~std::uint64_t{0} - epoch_ps;
        pace.leave(self, now_ps);
      });
    }
  }
  EXPECT_EQ(apart, 0);
  EXPECT_EQ(pace.late_waits(), 0U);
}

TEST(Pace, LetsALoneVcpuRun) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  EXPECT_EQ(pace.enter(0, 0), 0U);
  for (std::uint64_t epoch = 0; epoch < 100; epoch += 7) {
    EXPECT_EQ(pace.advance(0, epoch * epoch_ps + 3), (epoch + 1) * epoch_ps);
  }
}

TEST(Pace, StartsALateVcpuAtTheOthersTime) {
  Pace pace(3, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.advance(0, 10 * epoch_ps + 5);
  EXPECT_EQ(pace.enter(1, 0), 10 * epoch_ps + 5);
  // One that was ahead keeps its time.
  EXPECT_EQ(pace.enter(2, 11 * epoch_ps), 11 * epoch_ps);
  // Who is there already stays where it is.
  EXPECT_EQ(pace.enter(0, 3), 3U);
}

TEST(Pace, StartsAThreadThatWasWokenWhenItWasWoken) {
  Pace pace(3, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.advance(0, 10 * epoch_ps + 5);
  EXPECT_EQ(pace.enter(1, 7, 3 * epoch_ps), 3 * epoch_ps);
  EXPECT_EQ(pace.enter(2, 4 * epoch_ps, 3 * epoch_ps), 4 * epoch_ps);
}

TEST(Pace, WaitsForOneThatIsExpected) {
  Pace pace(3, epoch_ps, std::chrono::milliseconds(0));
  pace.open();
  (void)pace.enter(0, 0);
  pace.expect(1, 5);
  (void)pace.advance(0, 3 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 1U);
  // It does not come back to what it did not wait for.
  (void)pace.advance(0, 4 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 1U);
}

TEST(Pace, WaitsForOneThatCameUntilItHasCaughtUp) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  pace.expect(1, 5);
  std::atomic<bool> caught_up = false;
  bool waited = false;
  {
    const std::jthread ahead([&] {
      (void)pace.advance(0, 3 * epoch_ps);
      waited = caught_up;
    });
    EXPECT_EQ(pace.enter(1, 0, 5), 5U);
    (void)pace.advance(1, epoch_ps / 2);
    caught_up = true;
    (void)pace.advance(1, 3 * epoch_ps);
  }
  EXPECT_TRUE(waited);
}

TEST(Pace, ExpectsNobodyWhoIsBusyOrWentBackToSleep) {
  Pace pace(2, epoch_ps, std::chrono::milliseconds(0));
  pace.open();
  (void)pace.enter(0, 0);
  pace.leave(1, 0, true);
  pace.expect(1, 5);
  (void)pace.advance(0, 3 * epoch_ps);
  pace.leave(1, 0);
  pace.expect(1, 5);
  pace.leave(1, 0);
  (void)pace.advance(0, 6 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 0U);
}

TEST(Pace, WaitsForNobodyExpectedWhileInTheKernel) {
  Pace pace(3, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  {
    const std::jthread ahead([&] {
      (void)pace.advance(0, 3 * epoch_ps, true);
      (void)pace.advance(0, 6 * epoch_ps, true);
    });
    pace.expect(2, 5);
    pace.leave(1, 0);
  }
  EXPECT_EQ(pace.late_waits(), 0U);
}

TEST(Pace, WaitsForNobodyInterruptedWhileInTheKernel) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  std::atomic<std::uint64_t> clock_ps = 0;
  std::atomic<bool> behind = false;
  {
    const std::jthread ahead([&] {
      // It holds a lock that the other one's interrupt may want, and is to ask again soon.
      EXPECT_EQ(pace.advance(0, 3 * epoch_ps, true), 3 * epoch_ps);
      EXPECT_EQ(pace.advance(0, 4 * epoch_ps, true), 4 * epoch_ps);
      // In user code it waits for the end of the interrupt, and until the other one has caught up.
      clock_ps = 4 * epoch_ps + 1;
      EXPECT_EQ(pace.advance(0, clock_ps), 5 * epoch_ps);
      EXPECT_TRUE(behind);
    });
    pace.interrupt(1, true);
    while (clock_ps <= 4 * epoch_ps) std::this_thread::yield();
    pace.interrupt(1, false);
    EXPECT_EQ(pace.advance(1, 5), epoch_ps);
    behind = true;
    pace.leave(1, 4 * epoch_ps);
  }
  EXPECT_EQ(pace.late_waits(), 0U);
}

TEST(Pace, GoesOnFromTheLatestTimeWhenEverybodyWasAway) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.advance(0, 7 * epoch_ps);
  pace.leave(0, 7 * epoch_ps + 2);
  EXPECT_EQ(pace.enter(1, 0), 7 * epoch_ps + 2);
  EXPECT_EQ(pace.advance(1, 8 * epoch_ps), 9 * epoch_ps);
}

TEST(Pace, LetsWaitersGoWhenTheLastOtherLeaves) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  std::uint64_t limit_ps = 0;
  {
    const std::jthread ahead([&] { limit_ps = pace.advance(0, 3 * epoch_ps); });
    pace.leave(1, 0);
  }
  EXPECT_EQ(limit_ps, 4 * epoch_ps);
}

TEST(Pace, FreesWaitersWhenReleased) {
  Pace pace(2, epoch_ps, forever);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  {
    const std::jthread ahead([&] { (void)pace.advance(0, 3 * epoch_ps); });
    pace.release();
  }
  // Nobody waits from here on.
  EXPECT_EQ(pace.advance(0, 90 * epoch_ps), 91 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 0U);
}

TEST(Pace, DoesNotTakeTheTimeFromOneThatWasLeftBehind) {
  Pace pace(3, epoch_ps, std::chrono::milliseconds(0));
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  (void)pace.advance(0, 3 * epoch_ps);  // Leaves 1 behind,
  (void)pace.advance(1, 10);            // which now moves again, far back.
  EXPECT_EQ(pace.enter(2, 0), 3 * epoch_ps);
}

TEST(Pace, LeavesBehindWhoDoesNotMove) {
  Pace pace(3, epoch_ps, std::chrono::milliseconds(0));
  pace.open();
  for (unsigned i = 0; i < 3; ++i) (void)pace.enter(i, 0);
  EXPECT_EQ(pace.advance(0, 3 * epoch_ps), 4 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 2U);
  // It may come back, away from which nobody is counted twice.
  EXPECT_EQ(pace.advance(1, 10), epoch_ps);
  EXPECT_EQ(pace.advance(0, 5 * epoch_ps), 6 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 3U);
  pace.leave(1, 20);
  pace.leave(2, 30);
  EXPECT_EQ(pace.advance(0, 50 * epoch_ps), 51 * epoch_ps);
  EXPECT_EQ(pace.late_waits(), 3U);
  pace.open();
  EXPECT_EQ(pace.late_waits(), 0U);
  EXPECT_EQ(pace.enter(1, 0), 0U);
}

TEST(Pace, HasPatienceWithOneWhoseThreadHardlyRuns) {
  std::chrono::nanoseconds ran{0};
  unsigned asked = 0;
  const auto hardly = [&](unsigned) { return ++asked, ran += std::chrono::nanoseconds(1); };
  Pace pace(2, epoch_ps, std::chrono::milliseconds(4), hardly);
  pace.open();
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  {
    const std::jthread ahead([&] { (void)pace.advance(0, 3 * epoch_ps); });
    // It is asked for both of them before, and for the late one after.
    while (pace.late_waits() == 0) std::this_thread::yield();
  }
  EXPECT_EQ(asked, 2 * Pace::patience_with_starved + Pace::patience_with_starved - 1);
  EXPECT_EQ(pace.late_waits(), 1U);
}

TEST(Pace, LeavesBehindWhoRunsWithoutMovingOrNotAtAll) {
  for (const auto step : {std::chrono::milliseconds(0), std::chrono::milliseconds(4)}) {
    std::chrono::nanoseconds ran{0};
    unsigned asked = 0;
    const auto steps = [&](unsigned) { return ++asked, ran += step; };
    Pace pace(2, epoch_ps, std::chrono::milliseconds(4), steps);
    pace.open();
    (void)pace.enter(0, 0);
    (void)pace.enter(1, 0);
    (void)pace.advance(0, 3 * epoch_ps);
    EXPECT_EQ(asked, 3U);
    EXPECT_EQ(pace.late_waits(), 1U);
  }
}

TEST(Pace, KnowsWhenSomebodyWaitsForOthersThatAllIdle) {
  Pace pace(3, epoch_ps, forever);
  pace.open();
  for (unsigned i = 0; i < 3; ++i) (void)pace.enter(i, 0);
  const Pace::Idling first(pace);
  const auto waits_for_both = [&] {
    const Pace::Idling second(pace);
    return pace.waits_for_idling();
  };
  EXPECT_FALSE(waits_for_both());
  const std::jthread third([&] { (void)pace.advance(2, 2 * epoch_ps); });
  while (!waits_for_both()) std::this_thread::yield();
  EXPECT_FALSE(pace.waits_for_idling());
  pace.leave(0, 0);
  pace.leave(1, 0);
}

TEST(Pace, HoldsNobodyBeforeItIsOpened) {
  Pace pace(2, epoch_ps, forever);
  (void)pace.enter(0, 0);
  (void)pace.enter(1, 0);
  EXPECT_EQ(pace.advance(0, 30 * epoch_ps), 31 * epoch_ps);
}

}  // namespace
}  // namespace homenode::lab
