#include "lab/plugin/timeline_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab_timing/small_machine.h"

namespace homenode::lab {
namespace {

constexpr ThreadKey runner{0x5000, 0x20};
constexpr ThreadKey sleeper{0x5000, 0x10};
constexpr Task runner_task = 0xffff8880'00001000;
constexpr Task sleeper_task = 0xffff8880'00002000;
constexpr Task idle_task = 0xffff8880'00003000;

TEST(TimelineJson, SaysWhatEachThreadDidWhen) {
  using namespace timing_test;
  const std::vector<NodeRange> ranges{{NodeId(0), 0, std::uint64_t{1} << 24}};
  const NodeMap nodes(ranges, AddressForm::guest_physical);
  auto made = Timekeeper::create(small_machine(1, 2), nodes, 2, std::uint64_t{1} << 24);
  ASSERT_TRUE(made);
  Timekeeper& time = **made;
  time.record_timeline();
  std::array<std::uint64_t, 2> instructions{};
  time.open(
      region, [](unsigned i) { return i == 0 ? runner : sleeper; },
      [&](unsigned i) { return &instructions[i]; });
  time.vcpu(1).switch_task(sleeper_task, idle_task);
  time.vcpu(1).switch_to({0, 0});
  time.vcpu(1).halt();
  instructions[0] = 10;
  time.vcpu(0).enter_system_call(SystemCall::futex);
  time.wake(0, sleeper_task);
  time.vcpu(1).switch_task(idle_task, sleeper_task);
  time.vcpu(1).switch_to(sleeper);
  time.vcpu(0).switch_task(runner_task, idle_task);
  time.vcpu(0).switch_to({0, 0});
  time.vcpu(0).halt();
  time.close();
  time.set_end(2'000'000);
  EXPECT_EQ(nlohmann::json::parse(timeline_line(3, time, number_threads({}, &time))),
            nlohmann::json::parse(R"({
    "schema": "homenode.lab.timeline/1", "modelled": true, "roi": 3, "ps": 2000000, "dropped": 0,
    "intervals": [
      [0, "user", 0, 10000, 0],
      [1, "sleeping", 0, 1510000, 10000, 0],
      [0, "sleeping", 10000, 2000000, 2000000, null]]})"));
}

}  // namespace
}  // namespace homenode::lab
