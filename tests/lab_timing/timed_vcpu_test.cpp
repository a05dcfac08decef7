#include "lab/timing/timed_vcpu.h"

#include "one_vcpu.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

TEST(TimedVcpu, ChargesTheThreadThatRuns) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.switch_to(second);
  alone.run(30);
  alone.vcpu.switch_to(first);
  alone.run(7);
  EXPECT_EQ(alone.vcpu.settle(), 137 * instruction_ps);
  const ThreadTime one = alone.vcpu.threads().at(first);
  EXPECT_EQ(one.busy_ps, 107 * instruction_ps);
  EXPECT_EQ(one.instructions, 107U);
  EXPECT_EQ(one.first_ps, 0U);
  EXPECT_EQ(one.last_ps, 137 * instruction_ps);
  const ThreadTime two = alone.vcpu.threads().at(second);
  EXPECT_EQ(two.busy_ps, 30 * instruction_ps);
  EXPECT_EQ(two.first_ps, 100 * instruction_ps);
  EXPECT_EQ(two.last_ps, 130 * instruction_ps);
}

TEST(TimedVcpu, ChargesNeitherTheKernelsThreadsNorOtherProcesses) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  for (const ThreadKey other : {idle, stranger}) {
    alone.vcpu.switch_to(other);
    alone.run(1000);
    alone.vcpu.core().access<false>(0, chase(), alone.machine.translation);
  }
  alone.vcpu.switch_to(first);
  alone.run(1);
  EXPECT_EQ(alone.vcpu.settle(), 101 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().size(), 1U);
  EXPECT_EQ(alone.vcpu.core().counts().references[0], 0U);
}

TEST(TimedVcpu, GoesOnWhenAThreadWasWoken) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.switch_task(first_task, idle_task);
  alone.vcpu.switch_to(idle);
  alone.vcpu.halt();
  alone.wakeups.not_before(first_task, 250 * instruction_ps);
  alone.vcpu.switch_task(idle_task, first_task);
  alone.vcpu.switch_to(first);
  alone.run(10);
  EXPECT_EQ(alone.vcpu.settle(), 260 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(first).busy_ps, 110 * instruction_ps);
}

TEST(TimedVcpu, IsIdleUntilTheNextThreadMayGoOn) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.wakeups.not_before(second_task, 250 * instruction_ps);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(second);
  EXPECT_EQ(alone.vcpu.settle(), 250 * instruction_ps);
  // The first one may go on since it stopped, and finds the CPU's time later than that.
  alone.run(5);
  alone.vcpu.switch_task(second_task, first_task);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.settle(), 255 * instruction_ps);
  EXPECT_EQ(alone.wakeups.ready_ps(first_task), 100 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(second).busy_ps, 5 * instruction_ps);
}

TEST(TimedVcpu, ChargesEveryProcessWhereTheRegionIsOfAll) {
  Alone alone;
  alone.vcpu.open({Scope::all, 0x5000}, stranger, &alone.instructions);
  alone.run(5);
  alone.vcpu.switch_to(first);
  alone.run(6);
  alone.vcpu.switch_to({0x7000, 0});
  alone.run(100);
  EXPECT_EQ(alone.vcpu.settle(), 11 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().size(), 2U);
}

TEST(TimedVcpu, LeavesInterruptsOutHoweverNested) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(10);
  alone.vcpu.enter_interrupt();
  alone.run(1000);
  alone.vcpu.enter_interrupt();
  alone.run(1000);
  alone.vcpu.leave_interrupt();
  alone.run(1000);
  alone.vcpu.leave_interrupt();
  alone.run(20);
  // The end of an exception is no interrupt's.
  alone.vcpu.leave_interrupt();
  alone.run(5);
  EXPECT_EQ(alone.vcpu.settle(), 35 * instruction_ps);
}

TEST(TimedVcpu, ChargesAgainAfterASystemCallOrASwitch) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.vcpu.enter_interrupt();
  alone.run(1000);
  alone.vcpu.leave_system_call();
  alone.run(3);
  alone.vcpu.enter_interrupt();
  alone.run(1000);
  alone.vcpu.switch_to(second);
  alone.run(4);
  EXPECT_EQ(alone.vcpu.settle(), 7 * instruction_ps);
}

TEST(TimedVcpu, BeginsWithAnInterruptOfBeforeTheRegionForgotten) {
  Alone alone;
  alone.vcpu.enter_interrupt();
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(9);
  EXPECT_EQ(alone.vcpu.settle(), 9 * instruction_ps);
}

TEST(TimedVcpu, ChargesNothingOutsideARegion) {
  Alone alone;
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.settle(), 0U);
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(8);
  alone.vcpu.close();
  alone.run(1000);
  alone.vcpu.switch_to(first);
  alone.run(1000);
  EXPECT_EQ(alone.vcpu.settle(), 8 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(first).busy_ps, 8 * instruction_ps);
  alone.pace.open();
  alone.vcpu.open(region, second, &alone.instructions);
  EXPECT_EQ(alone.vcpu.settle(), 0U);
  EXPECT_EQ(alone.vcpu.threads().count(first), 0U);
}

// Until the thread goes on the others wait for its vCPU, which is in step but costs nothing.
TEST(TimedVcpu, StaysInStepWhileTheKernelsHousekeepingDelaysAThread) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.switch_task(first_task, worker_task);
  alone.vcpu.switch_to(idle);
  alone.run(1000);
  EXPECT_TRUE(alone.vcpu.core().is_running());
  EXPECT_FALSE(alone.vcpu.core().is_charged());
  alone.vcpu.switch_task(worker_task, first_task);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.settle(), 100 * instruction_ps);
}

TEST(TimedVcpu, IsAwayAsSoonAsItRunsWhatRanWhenItHaltedLast) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  const auto sleep = [&alone] {
    alone.vcpu.switch_task(first_task, idle_task);
    alone.vcpu.switch_to(idle);
  };
  sleep();
  EXPECT_TRUE(alone.vcpu.core().is_running());  // Who knows what this is.
  alone.vcpu.halt();
  EXPECT_FALSE(alone.vcpu.core().is_running());
  alone.vcpu.switch_task(idle_task, first_task);
  alone.vcpu.switch_to(first);
  sleep();
  EXPECT_FALSE(alone.vcpu.core().is_running());
}

}  // namespace
}  // namespace homenode::lab
