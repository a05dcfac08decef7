#include "measure/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/machines.h"

namespace homenode::measure {
namespace {

std::vector<NodeId> ids(std::initializer_list<unsigned> values) {
  std::vector<NodeId> result;
  for (unsigned value : values) result.emplace_back(value);
  return result;
}

bool has_note(const Plan& plan, const std::string& words) {
  return std::any_of(plan.notes.begin(), plan.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST(Plan, SourcesHaveCpusAndTargetsHaveMemory) {
  const auto plan = make_plan(odd_machine(), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sources, ids({0, 1, 2, 9}));
  EXPECT_EQ(plan->targets, ids({0, 1, 7, 9}));
  EXPECT_EQ(plan->latency.size(), 2U * 16U);
  EXPECT_EQ(plan->bandwidth.size(), 8U * 2U * 16U);
  EXPECT_EQ(plan->together.size(), 2U * 8U);
  EXPECT_EQ(plan->loaded.size(), 16U);
  EXPECT_EQ(plan->figures(), 32U + 256U + 16U + 16U * plan->idle_rounds.size());
  EXPECT_TRUE(has_note(*plan, "node 7 has no CPUs"));
  EXPECT_TRUE(has_note(*plan, "node 2 has no memory"));
  EXPECT_EQ(plan->notes.size(), 2U);
}

TEST(Plan, QuickMeasuresLessInLessTime) {
  const auto full = make_plan(odd_machine(), {});
  Request request;
  request.quick = true;
  const auto quick = make_plan(odd_machine(), request);
  ASSERT_TRUE(quick && full);
  EXPECT_LT(quick->figures(), full->figures() / 2);
  EXPECT_LT(quick->runs, full->runs);
  EXPECT_LT(quick->budget_s, 20.0);
  EXPECT_LT(full->budget_s, 60.0);
  EXPECT_EQ(quick->weights_kernel(), Kernel::read);
  EXPECT_EQ(quick->idle_rounds.back(), 0U);
}

TEST(Plan, LeavesOutWhatTheCpusetForbidsAndSaysSo) {
  machine::Machine machine = odd_machine();
  machine.allowed_cpus = CpuSet{CpuId(0), CpuId(6), CpuId(7)};
  machine.allowed_nodes = NodeSet{NodeId(0), NodeId(7)};
  const auto plan = make_plan(machine, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sources, ids({0, 9}));
  EXPECT_EQ(plan->targets, ids({0, 7}));
  EXPECT_EQ(plan->cpus_of.at(NodeId(0)), CpuSet{CpuId(0)});
  EXPECT_TRUE(has_note(*plan, "node 0 is measured without its CPUs 1"));
  EXPECT_TRUE(has_note(*plan, "node 1 is measured as a target only"));
  EXPECT_TRUE(has_note(*plan, "node 9 is measured as a source only"));
  // The one CPU of node 0 is all of them, and leaves none to load the memory with.
  for (const BandwidthItem& item : plan->bandwidth) {
    EXPECT_FALSE(item.pair.from == NodeId(0) && item.scope == Scope::one_cpu);
  }
  EXPECT_EQ(plan->loaded, (std::vector<Pair>{{NodeId(9), NodeId(0)}, {NodeId(9), NodeId(7)}}));
}

TEST(Plan, ChoosesNodesPartsKernelsAndRuns) {
  Request request;
  request.from = NodeSet{NodeId(9)};
  request.to = NodeSet{NodeId(7)};
  request.loaded = request.latency = false;
  request.kernels = {Kernel::triad};
  request.runs = 11;
  const auto plan = make_plan(odd_machine(), request);
  ASSERT_TRUE(plan);
  const Pair pair{NodeId(9), NodeId(7)};
  EXPECT_EQ(plan->bandwidth, (std::vector<BandwidthItem>{{Kernel::triad, Scope::one_cpu, pair},
                                                         {Kernel::triad, Scope::all_cpus, pair}}));
  EXPECT_TRUE(plan->latency.empty());
  EXPECT_TRUE(plan->loaded.empty());
  EXPECT_EQ(plan->runs, 11U);
  EXPECT_EQ(plan->weights_kernel(), Kernel::triad);
}

TEST(Plan, WeightsAloneNeedTheReadBandwidths) {
  Request request;
  request.latency = request.bandwidth = request.loaded = false;
  const auto plan = make_plan(odd_machine(), request);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bandwidth.size(), 16U);
  EXPECT_EQ(plan->bandwidth.front().kernel, Kernel::read);
  EXPECT_EQ(plan->bandwidth.front().scope, Scope::all_cpus);
  EXPECT_TRUE(plan->together.empty());
}

TEST(Plan, MeasuresTheSmallestMachine) {
  const auto plan = make_plan(smallest_machine(), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->latency.size(), 2U);
  EXPECT_EQ(plan->bandwidth.size(), 8U);
  EXPECT_TRUE(plan->loaded.empty());
  EXPECT_TRUE(plan->notes.empty());
}

TEST(Plan, NamesNodesThatCannotBeUsed) {
  Request request;
  request.from = NodeSet{NodeId(7)};
  const auto from = make_plan(odd_machine(), request);
  ASSERT_FALSE(from);
  EXPECT_EQ(from.error().code, ErrorCode::bad_usage);
  EXPECT_NE(from.error().message().find("--from names 7"), std::string::npos);
  EXPECT_NE(from.error().message().find("0-2,9"), std::string::npos);
  request = {};
  request.to = NodeSet{NodeId(2)};
  EXPECT_FALSE(make_plan(odd_machine(), request));
  machine::Machine forbidden = odd_machine();
  forbidden.allowed_cpus = {};
  const auto none = make_plan(forbidden, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_supported);
}

TEST(Plan, ReadsEachCpuFromEachOtherWhereCoresAreWanted) {
  Request request;
  request.latency = request.bandwidth = request.loaded = request.weights = false;
  request.cores = true;
  request.from = NodeSet{NodeId(0)};
  const auto two = make_plan(odd_machine(), request);
  ASSERT_TRUE(two);
  const std::vector<CpuId> cpus = two->cpus_of.at(NodeId(0)).to_vector();
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(two->cores, (std::vector<CorePair>{{cpus[0], cpus[1]}, {cpus[1], cpus[0]}}));
  EXPECT_EQ(two->figures(), 2U);
  machine::Machine machine = odd_machine();
  machine.allowed_cpus = CpuSet{cpus[0]};
  const auto one = make_plan(machine, request);
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->cores.empty());
  EXPECT_TRUE(has_note(*one, "one CPU alone has no core-to-core latency"));
}

}  // namespace
}  // namespace homenode::measure
