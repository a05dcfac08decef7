#include "measure/working_set.h"

#include <gtest/gtest.h>

#include "support/machines.h"

namespace homenode::measure {
namespace {

Plan plan_for(const machine::Machine& machine, const Request& request = {}) {
  auto plan = make_plan(machine, request);
  EXPECT_TRUE(plan);
  plan->notes.clear();
  return *plan;
}

TEST(Caches, TheLastLevelOfANodeIsAllItsInstancesTogether) {
  machine::Machine machine = smallest_machine();
  machine.nodes[0].cpus = CpuSet::range(CpuId(0), CpuId(3));
  machine.caches = {{1, 1_MiB, 0, 0, CpuSet{CpuId(0)}},
                    {3, 16_MiB, 0, 0, CpuSet{CpuId(0), CpuId(1)}},
                    {3, 16_MiB, 0, 0, CpuSet{CpuId(2), CpuId(3)}},
                    {3, 64_MiB, 0, 0, CpuSet{CpuId(8)}}};
  EXPECT_EQ(last_level_caches(machine, machine.nodes[0].cpus), 32_MiB);
  EXPECT_EQ(last_level_caches(machine, CpuSet{CpuId(0)}), 16_MiB);
  EXPECT_EQ(last_level_caches(machine, CpuSet{CpuId(100)}), Bytes{});
}

TEST(WorkingSet, IsFourTimesTheCachesInWholeHugePages) {
  Plan plan = plan_for(odd_machine());
  const auto set = choose_working_set(odd_machine(), plan, {}, 4096_MiB);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->wanted, 4_MiB);
  EXPECT_EQ(set->of_node.size(), 4U);
  for (const auto& [node, bytes] : set->of_node) EXPECT_EQ(bytes, 4_MiB);
  EXPECT_TRUE(plan.notes.empty());
}

TEST(WorkingSet, IsAssumedWhereNoCacheIsKnown) {
  Plan plan = plan_for(smallest_machine());
  const auto set = choose_working_set(smallest_machine(), plan, {}, 8192_MiB);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->wanted.value, cache_factor * assumed_caches.value);
}

TEST(WorkingSet, TakesAtMostAQuarterOfFreeMemoryAndSaysWhere) {
  machine::Machine machine = odd_machine();
  machine.caches[0].size = 100_MiB;
  Plan plan = plan_for(machine);
  const std::map<NodeId, Bytes> free{{NodeId(0), 43_MiB}, {NodeId(1), 4096_MiB}};
  const auto set = choose_working_set(machine, plan, free, 100'000_MiB);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->of_node.at(NodeId(0)), 10_MiB);
  EXPECT_EQ(set->of_node.at(NodeId(1)), 400_MiB);
  EXPECT_EQ(set->of_node.at(NodeId(7)), 256_MiB);  // Its whole memory is 1 GiB.
  ASSERT_EQ(plan.notes.size(), 3U);
  EXPECT_NE(
      plan.notes[0].find("node 0 has memory for arrays of 10 MiB only, less than the 400 MiB"),
      std::string::npos);
}

TEST(WorkingSet, SharesWhatIsAvailableAmongTheNodes) {
  Plan plan = plan_for(odd_machine());
  const auto set = choose_working_set(odd_machine(), plan, {}, 64_MiB);
  ASSERT_TRUE(set);
  for (const auto& [node, bytes] : set->of_node) EXPECT_EQ(bytes, 4_MiB);
  const auto less = choose_working_set(odd_machine(), plan, {}, 32_MiB);
  ASSERT_TRUE(less);
  for (const auto& [node, bytes] : less->of_node) EXPECT_EQ(bytes, 2_MiB);
}

TEST(WorkingSet, ObeysSizeOrRefusesIt) {
  Request request;
  request.size = Bytes{(5_MiB).value + 1};
  Plan plan = plan_for(odd_machine(), request);
  const auto set = choose_working_set(odd_machine(), plan, {}, 4096_MiB);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->of_node.at(NodeId(0)), 6_MiB);
  request.size = 300_MiB;
  plan = plan_for(odd_machine(), request);
  const auto refused = choose_working_set(odd_machine(), plan, {}, 100'000_MiB);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_usage);
  EXPECT_NE(refused.error().message().find("--size is 300 MiB, but at most 256 MiB of node 0"),
            std::string::npos);
}

TEST(WorkingSet, SaysThatArraysFitIntoTheCaches) {
  machine::Machine machine = odd_machine();
  machine.caches[0].size = 100_MiB;
  Request request;
  request.size = 100_MiB;
  Plan plan = plan_for(machine, request);
  ASSERT_TRUE(choose_working_set(machine, plan, {}, 4096_MiB));
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_NE(plan.notes[0].find("arrays of 100 MiB fit into the 100 MiB of last-level caches"),
            std::string::npos);
  request.size = 102_MiB;
  plan = plan_for(machine, request);
  ASSERT_TRUE(choose_working_set(machine, plan, {}, 4096_MiB));
  EXPECT_TRUE(plan.notes.empty());
}

TEST(WorkingSet, ANodeWithoutFreeMemoryIsAnError) {
  Plan plan = plan_for(odd_machine());
  const auto set = choose_working_set(odd_machine(), plan, {{NodeId(9), 7_MiB}}, 4096_MiB);
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message().find("node 9"), std::string::npos);
}

}  // namespace
}  // namespace homenode::measure
