#include "launch/settings.h"

#include <gtest/gtest.h>

#include "base/id_list.h"

namespace homenode::launch {
namespace {

using Kind = RunSetting::Kind;
using placement::Policy;
using placement::PolicyKind;

/// Nodes 0, 1, 4 with two CPUs each, and node 6 with memory alone. The cpuset leaves out node 4's
/// memory and CPU 5.
machine::Machine sparse() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1)}, 1_MiB, 0},
                   {NodeId(1), {CpuId(2), CpuId(3)}, 1_MiB, 0},
                   {NodeId(4), {CpuId(4), CpuId(5)}, 1_MiB, 1},
                   {NodeId(6), {}, 1_MiB, 1}};
  machine.allowed_cpus = CpuSet::range(CpuId(0), CpuId(4));
  machine.allowed_nodes = {NodeId(0), NodeId(1), NodeId(6)};
  return machine;
}

placement::Placement resolved(const std::vector<RunSetting>& settings) {
  const auto placement = resolve(sparse(), settings);
  EXPECT_TRUE(placement) << placement.error().message();
  return placement ? *placement : placement::Placement{};
}

TEST(RunPlacement, EachOptionIsItsPolicy) {
  EXPECT_EQ(resolved({{Kind::interleave, "all"}}).process_memory,
            (Policy{PolicyKind::interleave, {NodeId(0), NodeId(1), NodeId(6)}}));
  EXPECT_EQ(resolved({{Kind::membind, "!0"}}).process_memory,
            (Policy{PolicyKind::bind, {NodeId(1), NodeId(6)}}));
  EXPECT_EQ(resolved({{Kind::preferred, "+2"}}).process_memory,
            (Policy{PolicyKind::preferred, {NodeId(6)}}));
  EXPECT_EQ(resolved({{Kind::preferred_many, "0,6"}}).process_memory,
            (Policy{PolicyKind::preferred_many, {NodeId(0), NodeId(6)}}));
  EXPECT_EQ(resolved({{Kind::localalloc, ""}}).process_memory, (Policy{PolicyKind::local, {}}));
  EXPECT_FALSE(resolved({}).process_memory.has_value());
  EXPECT_FALSE(resolved({{Kind::membind, "0"}}).process_cpus.has_value());
}

TEST(RunPlacement, CpuOptionsBindAndTheLastOneHolds) {
  EXPECT_EQ(to_list(*resolved({{Kind::physcpubind, "!0-1"}}).process_cpus), "2-4");
  EXPECT_EQ(to_list(*resolved({{Kind::cpunodebind, "1"}}).process_cpus), "2-3");
  EXPECT_EQ(to_list(*resolved({{Kind::physcpubind, "0"}, {Kind::cpunodebind, "0-1"}}).process_cpus),
            "0-3");
  EXPECT_EQ(
      to_list(*resolved({{Kind::cpunodebind, "0-1"}, {Kind::physcpubind, "+3"}}).process_cpus),
      "3");
}

TEST(RunPlacement, SameIsTheNodeListBefore) {
  const auto placement = resolved({{Kind::membind, "1"}, {Kind::cpunodebind, "same"}});
  EXPECT_EQ(to_list(*placement.process_cpus), "2-3");
  EXPECT_EQ(resolved({{Kind::cpunodebind, "1"}, {Kind::membind, "same"}}).process_memory->nodes,
            NodeSet{NodeId(1)});
  EXPECT_FALSE(resolve(sparse(), {{Kind::membind, "same"}}));
  EXPECT_FALSE(resolve(sparse(), {{Kind::physcpubind, "0"}, {Kind::membind, "same"}}));
  EXPECT_FALSE(resolve(sparse(), {{Kind::membind, "0"}, {Kind::physcpubind, "same"}}));
}

TEST(RunPlacement, AllLiftsTheCpusetForWhatFollows) {
  EXPECT_FALSE(resolve(sparse(), {{Kind::physcpubind, "5"}}));
  EXPECT_EQ(to_list(*resolved({{Kind::all, ""}, {Kind::physcpubind, "5"}}).process_cpus), "5");
  EXPECT_FALSE(resolve(sparse(), {{Kind::membind, "4"}}));
  EXPECT_EQ(resolved({{Kind::all, ""}, {Kind::membind, "4"}}).process_memory->nodes,
            NodeSet{NodeId(4)});
  EXPECT_FALSE(resolve(sparse(), {{Kind::membind, "0"}, {Kind::all, ""}}));
}

TEST(RunPlacement, OneMemoryPolicyOnly) {
  for (Kind first : {Kind::interleave, Kind::membind, Kind::preferred, Kind::preferred_many}) {
    const auto both = resolve(sparse(), {{first, "0"}, {Kind::localalloc, ""}});
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, ErrorCode::bad_usage);
  }
  EXPECT_FALSE(resolve(sparse(), {{Kind::membind, "0"}, {Kind::membind, "0"}}));
}

TEST(RunPlacement, BalancingCountsWithMembindOnly) {
  EXPECT_TRUE(
      resolved({{Kind::balancing, ""}, {Kind::membind, "0"}}).process_memory->numa_balancing);
  EXPECT_TRUE(
      resolved({{Kind::membind, "0"}, {Kind::balancing, ""}}).process_memory->numa_balancing);
  EXPECT_FALSE(
      resolved({{Kind::balancing, ""}, {Kind::interleave, "0"}}).process_memory->numa_balancing);
  EXPECT_FALSE(resolved({{Kind::balancing, ""}}).process_memory.has_value());
}

TEST(RunPlacement, RefusesWhatTheMachineDoesNotHave) {
  for (const RunSetting& setting :
       {RunSetting{Kind::membind, "2"}, RunSetting{Kind::preferred, "0,1"},
        RunSetting{Kind::physcpubind, "9"}, RunSetting{Kind::cpunodebind, "6"},
        RunSetting{Kind::interleave, ""}, RunSetting{Kind::interleave, "x"},
        RunSetting{Kind::physcpubind, "!0-4"}}) {
    const auto placement = resolve(sparse(), {setting});
    ASSERT_FALSE(placement) << setting.text();
    EXPECT_EQ(placement.error().code, ErrorCode::bad_usage);
  }
}

TEST(RunPlacement, NodesThatAreLookedUpAreValues) {
  const auto near = resolved({{Kind::near, NodeSet{NodeId(1)}}});
  EXPECT_EQ(to_list(*near.process_cpus), "2-3");
  EXPECT_EQ(near.process_memory, (Policy{PolicyKind::preferred, {NodeId(1)}}));
  EXPECT_EQ(resolved({{Kind::membind, machine::ListWithDevice{"0,", NodeId(6)}}}).process_memory,
            (Policy{PolicyKind::bind, {NodeId(0), NodeId(6)}}));
  EXPECT_EQ(resolved({{Kind::membind, machine::ListWithDevice{"!", NodeId(6)}}}).process_memory,
            (Policy{PolicyKind::bind, {NodeId(0), NodeId(1)}}));
  const auto refused =
      resolve(sparse(), {{Kind::membind, machine::ListWithDevice{"0,", NodeId(4)}}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message().starts_with("cannot use '0,4': "));
}

TEST(RunPlacement, RanksTakeWhatTheListsLeave) {
  const auto domain = read_setting(Kind::per_rank, "node");
  ASSERT_TRUE(domain);
  const std::vector<RunSetting> given{{Kind::cpunodebind, "0,4"}, *domain, {Kind::membind, "same"}};
  EXPECT_EQ(to_list(**bound_cpus(sparse(), given)), "0-1,4-5");
  EXPECT_FALSE(bound_cpus(sparse(), {*domain})->has_value());
  EXPECT_FALSE(bound_cpus(sparse(), {{Kind::cpunodebind, "9"}, *domain}));
  const RunSetting rank{Kind::per_rank, NodeSet{NodeId(1)}};
  for (const auto& settings : {std::vector<RunSetting>{rank, {Kind::physcpubind, "0,3-4"}},
                               std::vector<RunSetting>{{Kind::physcpubind, "0,3-4"}, rank}}) {
    const auto placement = resolved(settings);
    EXPECT_EQ(to_list(*placement.process_cpus), "3");
    EXPECT_EQ(placement.process_memory, (Policy{PolicyKind::preferred, {NodeId(1)}}));
  }
  EXPECT_EQ(resolved({rank, {Kind::membind, "same"}}).process_memory,
            (Policy{PolicyKind::bind, {NodeId(1)}}));
  const auto both = resolve(sparse(), {rank, {Kind::near, NodeSet{NodeId(0)}}});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, ErrorCode::bad_usage);
}

TEST(RunPlacement, ACpuOutsideTheAffinityNamesAll) {
  const auto refused = resolve(sparse(), {{Kind::physcpubind, "5"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("put --all before the list"), std::string::npos);
  const auto absent = resolve(sparse(), {{Kind::physcpubind, "9"}});
  EXPECT_EQ(absent.error().message().find("--all"), std::string::npos);
}

TEST(RunPlacement, DomainsOfRanksAreRead) {
  for (const char* text : {"node", "numa"}) {
    EXPECT_EQ(std::get<RankDomain>(read_setting(Kind::per_rank, text)->value), RankDomain::node);
  }
  for (const char* text : {"socket", "package"}) {
    EXPECT_EQ(std::get<RankDomain>(read_setting(Kind::per_rank, text)->value), RankDomain::package);
  }
  const auto unknown = read_setting(Kind::per_rank, "rack");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::bad_usage);
}

}  // namespace
}  // namespace homenode::launch
