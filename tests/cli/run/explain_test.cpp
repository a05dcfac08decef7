// What --explain says of a plan, and the options that need one.
#include "cli/run/explain.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "fake/fake.h"
#include "launch/plan.h"

namespace homenode::cli {
namespace {

using Kind = launch::RunSetting::Kind;
using placement::Policy;
using placement::PolicyKind;

machine::Machine two_nodes_and_memory() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1)}, 1_MiB, {}},
                   {NodeId(1), {CpuId(2), CpuId(3)}, 1_MiB, {}},
                   {NodeId(2), {}, 1_MiB, {}}};
  machine.allowed_cpus = {CpuId(0), CpuId(2), CpuId(3)};
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

launch::RunPlan planned(const launch::RunRequest& request) {
  os::Fake os;
  os.set_root("/nonexistent");
  os.set_file("/sys/class/net/eth0/uevent", "\n");
  os.set_file("/sys/class/net/eth0/numa_node", "1\n");
  os.set_file("/sys/class/net/cxl0/uevent", "\n");
  os.set_file("/sys/class/net/cxl0/numa_node", "2\n");
  const auto plan = launch::make_run_plan(os, two_nodes_and_memory(), request);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
  return plan ? *plan : launch::RunPlan{};
}

TEST(RunExplain, TellsEachThreadsPlace) {
  launch::ThreadRequest threads;
  threads.threads = "0,2";
  threads.thread_memory = "bind@0/bind@1";
  const launch::RunPlan plan = planned({{}, threads});
  const std::string text = explain_text(plan);
  EXPECT_NE(text.find("CPUs: 0,2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("thread 1: CPUs 2, memory bind, nodes 1\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(explain_json(plan));
  EXPECT_EQ(json["threads"].size(), 2U);
  EXPECT_EQ(json["threads"][1]["cpus"], std::vector<int>{2});
  EXPECT_EQ(json["threads"][0]["rank"], 0);
  EXPECT_EQ(json["threads"][0]["memory"]["nodes"], std::vector<int>{0});
}

TEST(RunExplain, NearBindsTheCpusAndPrefersTheMemory) {
  const launch::RunPlan near = planned({{{Kind::near, "eth0"}}, {}});
  EXPECT_EQ(near.process.process_cpus, (CpuSet{CpuId(2), CpuId(3)}));
  EXPECT_EQ(near.process.process_memory, (Policy{PolicyKind::preferred, {NodeId(1)}}));
  const launch::RunPlan own = planned({{{Kind::near, "eth0"}, {Kind::membind, "0"}}, {}});
  EXPECT_EQ(own.process.process_memory, (Policy{PolicyKind::bind, {NodeId(0)}}));
  const launch::RunPlan memory_alone = planned({{{Kind::near, "cxl0"}}, {}});
  EXPECT_FALSE(memory_alone.process.process_cpus.has_value());
  EXPECT_EQ(memory_alone.process.process_memory, (Policy{PolicyKind::preferred, {NodeId(2)}}));
}

TEST(RunExplain, DevicesStandForNodesInLists) {
  EXPECT_EQ(planned({{{Kind::membind, "0,netdev:eth0"}}, {}}).process.process_memory,
            (Policy{PolicyKind::bind, {NodeId(0), NodeId(1)}}));
}

TEST(RunExplain, EachRankHasItsNode) {
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  const launch::RunPlan plan = planned({{{Kind::per_rank, launch::RankDomain::node}}, {}});
  unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
  EXPECT_EQ(plan.process.process_memory, (Policy{PolicyKind::preferred, {NodeId(1)}}));
  EXPECT_NE(explain_text(plan).find("rank on this host: 1 (OMPI"), std::string::npos);
}

TEST(RunExplain, AllRanksOfAHostAreOfTheirNodesInTurn) {
  launch::RunRequest request{{{Kind::per_rank, launch::RankDomain::node}}, {}};
  request.all_ranks = true;  // Without a rank in the environment.
  const launch::RunPlan plan = planned(request);
  ASSERT_GE(plan.process_by_rank.size(), 2U);
  EXPECT_EQ(plan.process_by_rank[0].process_memory, plan.process.process_memory);
  EXPECT_EQ(plan.process_by_rank[1].process_memory, (Policy{PolicyKind::preferred, {NodeId(1)}}));
  EXPECT_EQ(plan.process_by_rank[1].process_cpus, (CpuSet{CpuId(2), CpuId(3)}));
  EXPECT_TRUE(planned({{{Kind::membind, "0"}}, {}}).process_by_rank.empty());
}

TEST(RunExplain, ARanksThreadsTakeTheEntriesOnItsNode) {
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  launch::ThreadRequest threads;
  threads.threads = "3,0,2";
  const launch::RunPlan plan = planned({{{Kind::per_rank, launch::RankDomain::node}}, threads});
  unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
  const std::string text = explain_text(plan);
  EXPECT_NE(text.find("(OMPI_COMM_WORLD_LOCAL_RANK), on nodes 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("CPUs: 2-3\nthread 0: CPUs 3,"), std::string::npos) << text;
  EXPECT_NE(text.find("thread 1: CPUs 2,"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(explain_json(plan))["rank"]["nodes"], std::vector<int>{1});
}

TEST(RunExplain, NamesWhatAContainerRefuses) {
  os::Fake os;
  EXPECT_EQ(launch::find_policy_refusal(os), "");
  os.fail_call("get_mempolicy", 1, EPERM);
  const std::string refusal = launch::find_policy_refusal(os);
  EXPECT_NE(refusal.find("CAP_SYS_NICE"), std::string::npos) << refusal;
  for (const char* call : {"set_mempolicy", "mbind"}) {
    os::Fake other;
    other.fail_call(call, 1, EPERM);
    EXPECT_NE(launch::find_policy_refusal(other).find("CAP_SYS_NICE"), std::string::npos) << call;
  }
  launch::RunPlan plan;
  plan.refusal = refusal;
  EXPECT_NE(explain_text(plan).find("refused here: "), std::string::npos);
}

TEST(RunExplain, AsksForTheFullMachineOnlyWhereItIsNeeded) {
  EXPECT_FALSE(launch::needs_machine({{{Kind::localalloc, ""}}, {}}));
  EXPECT_TRUE(launch::needs_machine({{{Kind::membind, "0"}}, {}}));
  EXPECT_FALSE(launch::needs_full_machine({{{Kind::per_rank, launch::RankDomain::node}}, {}}));
  EXPECT_TRUE(launch::needs_full_machine({{{Kind::per_rank, launch::RankDomain::package}}, {}}));
  launch::ThreadRequest threads;
  threads.threads = "S0:0-1";
  EXPECT_TRUE(launch::needs_full_machine({{}, threads}));
}

}  // namespace
}  // namespace homenode::cli
