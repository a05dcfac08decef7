#include "lab/timing/timekeeper.h"

#include "small_machine.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

constexpr std::uint64_t node_bytes = std::uint64_t{1} << node_shift;

NodeMap map_of(std::vector<unsigned> ids) {
  std::vector<NodeRange> ranges;
  for (const unsigned id : ids)
    ranges.push_back({NodeId(id), ranges.size() * node_bytes, node_bytes});
  return {ranges, AddressForm::guest_physical};
}

/// Nodes 0, 3 and 8; the second has CPUs only.
TimingModel sparse_machine() {
  TimingModel model = small_machine(3, 1);
  model.nodes = {NodeId(0), NodeId(3), NodeId(8)};
  model.controllers[1] = {};
  return model;
}

TEST(Timekeeper, RefusesAModelOfAnotherMachine) {
  const NodeMap two = map_of({0, 1});
  const auto vcpus = Timekeeper::create(small_machine(2, 2), two, 3, 2 * node_bytes);
  ASSERT_FALSE(vcpus);
  EXPECT_EQ(vcpus.error().code, ErrorCode::bad_usage);
  EXPECT_EQ(vcpus.error().tried, "the timing file has 4 vCPUs, the machine 3");
  const auto unknown = Timekeeper::create(small_machine(2, 2), map_of({0, 7}), 4, 2 * node_bytes);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().tried, "the timing file has no controller for node 7");
  const auto silent = Timekeeper::create(sparse_machine(), map_of({0, 3}), 3, 2 * node_bytes);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().tried, "the timing file has no controller for node 3");
  EXPECT_FALSE(Timekeeper::create(small_machine(2, 2), two, 4, std::uint64_t{1} << 63));
}

TEST(Timekeeper, KnowsWhichNodeIsWhich) {
  const NodeMap nodes = map_of({0, 8});
  const auto made = Timekeeper::create(sparse_machine(), nodes, 3, 2 * node_bytes);
  ASSERT_TRUE(made);
  const Timekeeper& time = **made;
  EXPECT_EQ(time.position(0), 0U);
  EXPECT_EQ(time.position(1), 2U);
  EXPECT_EQ(time.map_index(0), 0U);
  EXPECT_EQ(time.map_index(2), 1U);
}

/// A keeper of two vCPUs on one node with a region open: threads 0x10 and 0x20.
struct Opened {
  Opened()
      : nodes(map_of({0})), made(Timekeeper::create(small_machine(1, 2), nodes, 2, node_bytes)) {
    time().open(
        region,
        [](unsigned i) {
          return ThreadKey{0x5000, 0x10U * (i + 1)};
        },
        [this](unsigned i) { return &instructions[i]; });
  }
  Timekeeper& time() { return **made; }

  NodeMap nodes;
  Result<std::unique_ptr<Timekeeper>> made;
  std::array<std::uint64_t, 2> instructions{};
};

TEST(Timekeeper, StartsAThreadThatAnotherWokeAfterTheWakeUp) {
  constexpr Task idle_task = 0xffff8880'00003000;
  constexpr Task sleeper = 0xffff8880'00002000;
  Opened opened;
  Timekeeper& time = opened.time();
  opened.instructions = {0, 40};
  time.vcpu(1).switch_task(sleeper, idle_task);
  time.vcpu(1).switch_to({0, 0});
  time.vcpu(1).halt();
  opened.instructions = {100, 0};
  time.wake(0, sleeper);
  time.kick(0, 1);
  time.kick(0, 2);  // A CPU that the machine does not have.
  time.vcpu(1).switch_task(idle_task, sleeper);
  time.vcpu(1).switch_to({0x5000, 0x20});
  opened.instructions = {0, 7};
  EXPECT_EQ(time.vcpu(1).settle(), wake_up_ps + 107 * instruction_ps);
  EXPECT_EQ(time.pace().late_waits(), 0U);
}

TEST(Timekeeper, StartsAThreadThatATimerWokeWhereTheOthersAre) {
  constexpr Task idle_task = 0xffff8880'00003000;
  constexpr Task sleeper = 0xffff8880'00002000;
  Opened opened;
  Timekeeper& time = opened.time();
  time.vcpu(1).switch_task(sleeper, idle_task);
  time.vcpu(1).switch_to({0, 0});
  time.vcpu(1).halt();
  opened.instructions = {6 * epoch_ps / instruction_ps, 0};
  (void)time.vcpu(0).settle();
  time.wake(1, sleeper);
  time.vcpu(1).switch_task(idle_task, sleeper);
  time.vcpu(1).switch_to({0x5000, 0x20});
  EXPECT_EQ(time.vcpu(1).settle(), 6 * epoch_ps);
}

TEST(Timekeeper, SaysWhoWokeAThreadAndThatItsSleepLastsUntilTheEnd) {
  constexpr Task idle_task = 0xffff8880'00003000;
  constexpr Task sleeper = 0xffff8880'00002000;
  constexpr SystemCall call{SystemCall::futex, 0x7f00, 0};
  Opened opened;
  Timekeeper& time = opened.time();
  const auto sleep = [&] {
    time.vcpu(1).enter_system_call(SystemCall::futex);
    time.vcpu(1).use_futex(0x7f00, 0);
    time.vcpu(1).switch_task(sleeper, idle_task);
    time.vcpu(1).switch_to({0, 0});
    time.vcpu(1).halt();
  };
  sleep();
  opened.instructions = {100, 0};
  time.wake(0, sleeper);
  time.vcpu(1).switch_task(idle_task, sleeper);
  time.vcpu(1).switch_to({0x5000, 0x20});
  sleep();
  opened.instructions = {9'900, 0};
  time.close();
  time.set_end(10'000 * instruction_ps);
  const Sleeps sleeps = time.threads().at({0x5000, 0x20}).sleeps.at(call);
  EXPECT_EQ(sleeps.times, 2U);
  EXPECT_EQ(sleeps.slept_ps, 10'000 * instruction_ps);
  EXPECT_EQ(sleeps.woken_by, (std::map<ThreadKey, std::uint64_t>{{{0x5000, 0x10}, 1}}));
  ASSERT_EQ(time.last_waits().size(), 1U);
  EXPECT_EQ(time.last_waits()[0].stop.time_ps, 100 * instruction_ps + wake_up_ps);
}

TEST(Timekeeper, TellsSleepFromTheWaitForACpuAtTheEndToo) {
  constexpr Task idle_task = 0xffff8880'00003000;
  constexpr Task first_task = 0xffff8880'00001000;
  constexpr Task second_task = 0xffff8880'00002000;
  Opened opened;
  Timekeeper& time = opened.time();
  time.vcpu(1).enter_interrupt();  // Which takes its CPU away.
  time.vcpu(1).switch_task(second_task, idle_task);
  time.vcpu(1).switch_to({0, 0});
  time.vcpu(0).switch_task(first_task, idle_task);
  time.vcpu(0).switch_to({0, 0});
  time.wake(0, first_task);
  time.close();
  time.set_end(10'000);
  const auto threads = time.threads();
  EXPECT_EQ(threads.at({0x5000, 0x20}).ready_ps, 10'000U);
  EXPECT_EQ(threads.at({0x5000, 0x20}).slept_ps(), 0U);
  // Woken at once, by no thread: it could have gone on.
  EXPECT_EQ(threads.at({0x5000, 0x10}).ready_ps, 10'000U);
}

TEST(Timekeeper, LetsAThreadThatEndedNotSleep) {
  Opened opened;
  Timekeeper& time = opened.time();
  time.vcpu(1).enter_system_call(60);
  time.vcpu(1).switch_task(0xffff8880'00002000, 0xffff8880'00003000);
  time.vcpu(1).switch_to({0, 0});
  opened.instructions = {100, 0};
  time.close();
  EXPECT_TRUE(time.last_waits().empty());
  EXPECT_EQ(time.threads().at({0x5000, 0x20}).slept_ps(), 0U);
}

TEST(Timekeeper, AddsUpAThreadThatMoved) {
  Opened opened;
  Timekeeper& time = opened.time();
  opened.instructions = {100, 40};
  (void)time.vcpu(0).settle();
  (void)time.vcpu(1).settle();
  time.vcpu(0).switch_to({0, 0});
  time.vcpu(1).switch_to({0x5000, 0x10});
  opened.instructions = {1000, 7};
  time.close();
  const auto threads = time.threads();
  ASSERT_EQ(threads.size(), 2U);
  const ThreadTime& moved = threads.at({0x5000, 0x10});
  EXPECT_EQ(moved.busy_ps, 107 * instruction_ps);
  EXPECT_EQ(moved.instructions, 107U);
  EXPECT_EQ(moved.first_ps, 0U);
  EXPECT_EQ(moved.last_ps, 100 * instruction_ps);
  EXPECT_EQ(threads.at({0x5000, 0x20}).busy_ps, 40 * instruction_ps);
}

TEST(Timekeeper, EndsAtTheMarkerOrElseAtTheLatestClock) {
  Opened opened;
  opened.instructions = {100, 40};
  opened.time().close();
  EXPECT_EQ(opened.time().end_ps(), 100 * instruction_ps);
  opened.time().set_end(41'000);
  EXPECT_EQ(opened.time().end_ps(), 41'000U);
}

TEST(Timekeeper, WritesBackToTheNodeThatALineLiesOn) {
  const NodeMap nodes = map_of({0, 8});
  auto made = Timekeeper::create(sparse_machine(), nodes, 3, 2 * node_bytes);
  ASSERT_TRUE(made);
  Timekeeper& time = **made;
  std::array<std::uint64_t, 3> instructions{};
  time.open(
      region,
      [](unsigned i) {
        return ThreadKey{0x5000, i == 0 ? 0x10U : 0U};
      },
      [&](unsigned i) { return &instructions[i]; });
  class OnNode8 final : public Translation {
    [[nodiscard]] std::optional<std::uint64_t> physical(std::uint64_t address) const override {
      return address;
    }
    [[nodiscard]] std::optional<unsigned> node_of(std::uint64_t) const override { return 2; }
    [[nodiscard]] unsigned bytes() const override { return 8; }
  } const translation;
  Core& core = time.vcpu(0).core();
  for (std::uint64_t i = 0; i < 2048; ++i) {
    core.access<true>(node_bytes + i * line_bytes, {}, translation);
  }
  EXPECT_EQ(time.memory().controller(2).read_lines, 2048U);
  // All but those that the second level still holds.
  EXPECT_EQ(time.memory().controller(2).written_lines, 2048U - 256U);
  EXPECT_EQ(time.memory().controller(0).written_lines, 0U);
}

}  // namespace
}  // namespace homenode::lab
