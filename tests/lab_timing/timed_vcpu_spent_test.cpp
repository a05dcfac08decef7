// What a thread's time on a vCPU is spent on.
#include "one_vcpu.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

constexpr ThreadKey waker{0x5000, 0x30};
constexpr SystemCall wait_call{SystemCall::futex, 0x7f00, 0};

TEST(TimedVcpuSpent, TellsSleepFromTheWaitForACpu) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.enter_system_call(SystemCall::futex);
  alone.vcpu.use_futex(0x7f00, 0);
  alone.run(10);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(second);
  // Woken at 150, able to go on from 160; the second thread keeps the CPU until 310.
  alone.wakeups.wake(first_task, 160 * instruction_ps, {150 * instruction_ps, waker, 2});
  alone.run(200);
  alone.vcpu.switch_task(second_task, first_task);
  alone.vcpu.switch_to(first);
  alone.vcpu.leave_system_call();
  alone.run(1);
  (void)alone.vcpu.settle();
  const ThreadTime& time = alone.vcpu.threads().at(first);
  EXPECT_EQ(time.slept_ps(), 50 * instruction_ps);
  EXPECT_EQ(time.ready_ps, 150 * instruction_ps);
  EXPECT_EQ(time.kernel_ps, 10 * instruction_ps);
  EXPECT_EQ(time.computed_ps(), 101 * instruction_ps);
  ASSERT_EQ(time.sleeps.size(), 1U);
  const auto& [call, sleep] = *time.sleeps.begin();
  EXPECT_EQ(call, wait_call);
  EXPECT_EQ(sleep.times, 1U);
  EXPECT_EQ(sleep.most_at_once, 2U);
  EXPECT_EQ(sleep.woken_by, (std::map<ThreadKey, std::uint64_t>{{waker, 1}}));
}

TEST(TimedVcpuSpent, LetsAThreadStopOnceItHasPaidForTheSwitch) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.vcpu.switch_task(first_task, idle_task);
  alone.run(40);
  alone.vcpu.switch_to(idle);
  alone.vcpu.halt();
  alone.wakeups.wake(first_task, 100 * instruction_ps, {90 * instruction_ps, waker, 1});
  alone.vcpu.switch_task(idle_task, first_task);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.threads().at(first).busy_ps, 40 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(first).slept_ps(), 60 * instruction_ps);
}

TEST(TimedVcpuSpent, CountsAThreadThatWasPreemptedAsOneThatWaitsForACpu) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(second);
  alone.run(30);
  alone.vcpu.switch_task(second_task, first_task);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.threads().at(first).ready_ps, 30 * instruction_ps);
  EXPECT_TRUE(alone.vcpu.threads().at(first).sleeps.empty());
}

TEST(TimedVcpuSpent, CountsNoWaitOfAThreadOfTheKernelsThatHasItsRegisters) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(idle);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.threads().at(first).ready_ps, 0U);
}

TEST(TimedVcpuSpent, CountsTheSleepOfBeforeTheRegionAndNoneOfAThreadThatIsNew) {
  Alone alone;
  alone.vcpu.open(region, idle, &alone.instructions);
  alone.wakeups.wake(first_task, 40 * instruction_ps, {0, waker, 1});
  alone.vcpu.switch_task(idle_task, first_task);
  alone.vcpu.switch_to(first);
  EXPECT_EQ(alone.vcpu.threads().at(first).slept_ps(), 40 * instruction_ps);
  alone.wakeups.wake(second_task, 90 * instruction_ps, {0, waker, 1}, true);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(second);
  const ThreadTime& made = alone.vcpu.threads().at(second);
  EXPECT_EQ(made.slept_ps() + made.ready_ps, 0U);
  EXPECT_EQ(made.first_ps, 90 * instruction_ps);
}

TEST(TimedVcpuSpent, CountsAThreadThatNobodyWokeAsReadySinceTheRegionBegan) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(40);
  alone.vcpu.switch_task(first_task, second_task);
  alone.vcpu.switch_to(second);
  EXPECT_EQ(alone.vcpu.threads().at(second).ready_ps, 40 * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(second).slept_ps(), 0U);
}

TEST(TimedVcpuSpent, ChargesSystemCallsAndFaultsToTheKernel) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(1);
  alone.vcpu.enter_system_call(0);
  alone.run(10);
  alone.vcpu.enter_fault();  // The kernel's own, in the call.
  alone.run(10);
  alone.vcpu.enter_interrupt();
  alone.run(1000);
  alone.vcpu.leave_interrupt();
  alone.vcpu.leave_interrupt();
  alone.run(10);
  alone.vcpu.leave_system_call();
  alone.run(1);
  alone.vcpu.enter_fault();
  alone.run(5);
  alone.vcpu.leave_interrupt();
  alone.run(1);
  (void)alone.vcpu.settle();
  const ThreadTime& time = alone.vcpu.threads().at(first);
  EXPECT_EQ(time.kernel_ps, 35 * instruction_ps);
  EXPECT_EQ(time.computed_ps(), 3 * instruction_ps);
}

TEST(TimedVcpuSpent, SpinsFromOneSpinPointToTheNextIfThatIsNear) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(500);
  for (int i = 0; i < 5; ++i) {
    alone.vcpu.spin();
    alone.run(4);
  }
  alone.run(100);
  alone.vcpu.spin();  // Too far from the one before.
  alone.run(100);
  alone.vcpu.spin();
  (void)alone.vcpu.settle();
  EXPECT_EQ(alone.vcpu.threads().at(first).spun_ps, (16 + 100) * instruction_ps);
  EXPECT_EQ(alone.vcpu.threads().at(first).computed_ps(), (500 + 104) * instruction_ps);
}

TEST(TimedVcpuSpent, CountsWaitsForMemoryByTheNodeAndOnlyUserCodes) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  const AccessShape ordered = AccessShape().ordered();
  alone.vcpu.core().access<false>(0, ordered, alone.machine.translation);
  alone.vcpu.enter_system_call(0);
  alone.vcpu.core().access<false>(far_apart, ordered, alone.machine.translation);
  alone.vcpu.leave_system_call();
  (void)alone.vcpu.settle();
  const ThreadTime& time = alone.vcpu.threads().at(first);
  EXPECT_EQ(time.stalls_ps, (std::vector<std::uint64_t>{local_ps, 0, 0, 0}));
  EXPECT_EQ(time.kernel_ps, local_ps);
  EXPECT_EQ(time.busy_ps, 2 * local_ps);
}

TEST(TimedVcpuSpent, NumbersThoseThatOneSystemCallWakes) {
  Alone alone;
  alone.vcpu.open(region, first, &alone.instructions);
  alone.vcpu.enter_system_call(SystemCall::futex);
  alone.vcpu.use_futex(0x7f00, 0);
  EXPECT_EQ(alone.vcpu.wake(3).order, 1U);
  EXPECT_EQ(alone.vcpu.wake(3).order, 2U);
  EXPECT_EQ(alone.vcpu.wake(3).by, first);
  alone.vcpu.leave_system_call();
  alone.vcpu.enter_system_call(SystemCall::futex);
  alone.vcpu.use_futex(0x7f00, 0);
  EXPECT_EQ(alone.vcpu.wake(3).order, 1U);
  alone.vcpu.enter_interrupt();
  EXPECT_FALSE(alone.vcpu.wake(3).by);
}

TEST(TimedVcpuSpent, RecordsWhatThreadsDoWhen) {
  Alone alone;
  Timeline timeline(1);
  alone.vcpu.record(timeline.track(0));
  alone.vcpu.open(region, first, &alone.instructions);
  alone.run(100);
  alone.vcpu.spin();
  alone.run(4);
  alone.vcpu.spin();
  alone.run(4);
  alone.vcpu.spin();
  alone.vcpu.enter_system_call(SystemCall::futex);
  alone.vcpu.use_futex(0x7f00, 0);
  alone.run(10);
  alone.vcpu.switch_task(first_task, idle_task);
  alone.vcpu.switch_to(idle);
  alone.vcpu.halt();
  alone.wakeups.wake(first_task, 250 * instruction_ps, {240 * instruction_ps, waker, 1});
  alone.vcpu.switch_task(idle_task, first_task);
  alone.vcpu.switch_to(first);
  alone.vcpu.leave_system_call();
  const auto& seen = timeline.tracks()[0].intervals();
  ASSERT_EQ(seen.size(), 4U);
  const std::array<Activity, 4> activities{Activity::user, Activity::spinning, Activity::kernel,
                                           Activity::sleeping};
  const std::array<std::uint64_t, 5> times{0, 100, 108, 118, 250};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].activity, activities[i]);
    EXPECT_EQ(seen[i].from_ps, times[i] * instruction_ps);
    EXPECT_EQ(seen[i].to_ps, times[i + 1] * instruction_ps);
  }
  EXPECT_EQ(seen[3].woken_ps, 240 * instruction_ps);
  EXPECT_EQ(seen[3].waker, waker);
}

TEST(TimedVcpuSpent, CutsWhatIsRecordedOfUserCodeAsTimeGoesOn) {
  Alone alone;
  Timeline timeline(1);
  alone.vcpu.record(timeline.track(0));
  alone.vcpu.open(region, first, &alone.instructions);
  for (int i = 0; i < 20; ++i) {
    alone.run(epoch_ps / instruction_ps);
    (void)alone.vcpu.core().now_ps();
  }
  EXPECT_EQ(timeline.tracks()[0].intervals().size(), 10U);  // Of 10 us, of 100.
}

}  // namespace
}  // namespace homenode::lab
