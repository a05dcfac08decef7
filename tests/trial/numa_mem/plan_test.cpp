#include "trial/numa_mem/plan.h"

#include <gtest/gtest.h>

#include "support/machines.h"
#include "trial/numa_mem/audit.h"

namespace homenode::trial {
namespace {

std::vector<CpuSet> cpus_of(std::string_view text) {
  const auto places = parse_task_cpus(quad_machine(), text, 8);
  return places ? *places : std::vector<CpuSet>();
}

CpuSet one(unsigned cpu) {
  return {CpuId(cpu)};
}

TEST(TaskLists, AreReadAsPerfWritesThem) {
  EXPECT_EQ(cpus_of("3"), (std::vector{one(3)}));
  EXPECT_EQ(cpus_of("1,0"), (std::vector{one(1), one(0)}));
  EXPECT_EQ(cpus_of("0-2"), (std::vector{one(0), one(1), one(2)}));
  EXPECT_EQ(cpus_of("0-6#3"), (std::vector{one(0), one(3), one(6)}));
  EXPECT_EQ(cpus_of("5x3"), (std::vector{one(5), one(5), one(5)}));
  EXPECT_EQ(cpus_of("2_4-4#2x2"),
            (std::vector{CpuSet::range(CpuId(2), CpuId(5)), CpuSet::range(CpuId(2), CpuId(5)),
                         CpuSet::range(CpuId(4), CpuId(7)), CpuSet::range(CpuId(4), CpuId(7))}));
  const auto nodes = parse_task_nodes(quad_machine(), "1x2,0-2#2", 4);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(*nodes, (std::vector{NodeId(1), NodeId(1), NodeId(0), NodeId(2)}));
}

TEST(TaskLists, AreRefusedWhereTheyMakeNoSense) {
  for (const char* text : {"", ",", "1,", "x", "-1", "1-", "2-1", "0-3#0", "0x0", "0_0", "0x9",
                           "1x2x2", "8", "7_2", "99999999999", "1 2"}) {
    const auto places = parse_task_cpus(quad_machine(), text, 8);
    ASSERT_FALSE(places) << text;
    EXPECT_EQ(places.error().code, ErrorCode::bad_usage) << text;
  }
  EXPECT_FALSE(parse_task_nodes(quad_machine(), "4", 8));
  EXPECT_FALSE(parse_task_nodes(quad_machine(), "0_2", 8));
  EXPECT_FALSE(parse_task_nodes(lopsided_machine(), "0", 8));  // It has no memory.
  EXPECT_TRUE(parse_task_nodes(lopsided_machine(), "8", 8));
}

NumaMemOptions two_by_two() {
  NumaMemOptions options;
  options.processes = 2;
  options.threads = 2;
  options.process_mb = 2;
  options.thread_mb = 1;
  return options;
}

TEST(PlanNumaMem, CountsTasksProcessByProcessAndMemoryInPages) {
  NumaMemOptions options = two_by_two();
  options.cpus = "6,4";
  options.memory_nodes = "3";
  options.global_mb = 0.001;
  const auto plan = plan_numa_mem(quad_machine(), options, {});
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->tasks.size(), 4U);
  EXPECT_EQ(plan->tasks[2].process, 1U);
  EXPECT_EQ(plan->tasks[2].thread, 0U);
  EXPECT_EQ(plan->tasks[1].cpus, one(4));
  EXPECT_FALSE(plan->tasks[2].cpus);
  EXPECT_EQ(plan->tasks[0].memory_node, NodeId(3));
  EXPECT_FALSE(plan->tasks[1].memory_node);
  EXPECT_EQ(plan->global_bytes, 4096U);
  EXPECT_EQ(plan->bytes(), 4096U + 8 * 1048576U);
  EXPECT_EQ(plan->bytes_of_loop(), 4096U + 3 * 1048576U);
}

TEST(PlanNumaMem, GivesEachMemoryToItsUsersUnderAStrategy) {
  NumaMemOptions options = two_by_two();
  options.strategy = "memory-bind";
  const auto plan = plan_numa_mem(quad_machine(), options, {});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->tasks[2].cpus, one(2));
  const auto nodes_of = [&](const std::string& name) {
    for (const auto& region : plan->placement.regions) {
      if (region.region == name) return std::get<placement::Policy>(region.memory).nodes;
    }
    return NodeSet();
  };
  EXPECT_EQ(nodes_of("global"), (NodeSet{NodeId(0), NodeId(1)}));
  EXPECT_EQ(nodes_of("process 1"), (NodeSet{NodeId(1)}));
  EXPECT_EQ(nodes_of("thread 0/1"), (NodeSet{NodeId(0)}));
}

TEST(PlanNumaMem, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    NumaMemOptions options;
    options.loops = 1;
    change(options);
    const auto plan = plan_numa_mem(quad_machine(), options, {});
    return !plan && plan.error().code == ErrorCode::bad_usage;
  };
  EXPECT_FALSE(refused([](NumaMemOptions&) {}));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.processes = 0; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.threads = 4000000000U; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.global_mb = 0; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.global_mb = -1; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.global_mb = 1e8; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.locked_mb = 1; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.reads = o.writes = false; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.loops = 0, o.seconds = 0; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.seconds = -1; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.interval_s = 0; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.strategy = "best"; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.strategy = "round-robin", o.cpus = "0"; }));
  EXPECT_TRUE(refused([](NumaMemOptions& o) { o.output = "/no/such/folder/x"; }));
}

NumaMemLook look_with(double seconds, const std::vector<NodeSet>& thread_nodes) {
  NumaMemLook look{seconds, {}};
  for (const NodeSet& nodes : thread_nodes) look.processes.push_back({nodes, {}});
  return look;
}

TEST(Convergence, IsEachProcessOnOneNode) {
  const NodeSet a{NodeId(0)};
  const NodeSet both{NodeId(0), NodeId(1)};
  EXPECT_TRUE(look_with(1, {a, a}).converged());
  EXPECT_FALSE(look_with(1, {a, both}).converged());
  EXPECT_FALSE(look_with(1, {a, {}}).converged());  // Not known yet.
}

TEST(Convergence, IsDatedFromTheLastUnbrokenStretch) {
  const NodeSet a{NodeId(0)};
  const NodeSet both{NodeId(0), NodeId(1)};
  const std::vector<NumaMemLook> looks{look_with(1, {a}), look_with(2, {both}), look_with(3, {a}),
                                       look_with(4, {a})};
  EXPECT_EQ(converged_since(looks), 3.0);
  EXPECT_EQ(converged_since(std::span(looks).first(2)), std::nullopt);
  EXPECT_EQ(converged_since({}), std::nullopt);
}

}  // namespace
}  // namespace homenode::trial
