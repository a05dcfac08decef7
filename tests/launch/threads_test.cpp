#include "launch/agent.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "os/linux.h"
#include "support/machines.h"

namespace homenode::launch {
namespace {

std::string wire(const ThreadRequest& request) {
  const auto plan = plan_threads(four_nodes(), request);
  return plan ? wire_text(*plan) : plan.error().message();
}

TEST(PlanThreads, WritesWhatTheAgentReads) {
  EXPECT_EQ(wire({.threads = "0,2,4-5"}), "1 cpus=0,2,4-5 threads=0/2/4/5");
  EXPECT_EQ(wire({.threads = "{0,1},{4}", .skip_threads = "1"}),
            "1 cpus=0-1,4 threads=0-1/4 skip=1");
  EXPECT_EQ(wire({.thread_memory = "bind@0/interleave/local/preferred@2"}),
            "1 memory=2@0/3@0-2/4/1@2");
  EXPECT_EQ(wire({.heap = "interleave@0,2"}), "1 heap=3@0,2");
  EXPECT_EQ(wire({.place = {"size>1M: cyclic:2@0-1", "size >= 64 : block", "size>=1KiB:bind@1"}}),
            "1 place=1048577:pattern:2x0,2x1 place=64:block:0-2 place=1024:policy:2@1");
  EXPECT_EQ(wire({.place = {"size>=1:block@1"}, .verbose = true}), "1 place=1:block:1 verbose");
  EXPECT_EQ(wire({}), "1");
}

TEST(PlanThreads, TellsEachRanksPolicyAndTheProcesssCpus) {
  const auto plan =
      plan_threads(four_nodes(), {.threads = "0,4", .thread_memory = "bind@0/bind@2"});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->process_cpus(), (CpuSet{CpuId(0), CpuId(4)}));
  EXPECT_EQ(plan->memory_of(3)->nodes, NodeSet{NodeId(2)});
  EXPECT_EQ(plan_threads(four_nodes(), {.threads = "0"})->memory_of(0), nullptr);
  EXPECT_TRUE(plan_threads(four_nodes(), {.heap = "local"})->process_cpus().empty());
  EXPECT_NE(plan_threads(four_nodes(), {.heap = "local"})->memory_of(5), nullptr);
}

TEST(PlanThreads, RefusesWhatIsNotThere) {
  for (const ThreadRequest& request : std::vector<ThreadRequest>{
           {.threads = "7"},
           {.threads = "nonsense"},
           {.thread_memory = "bind@3"},
           {.thread_memory = "bind@9"},
           {.thread_memory = "bind@0/"},
           {.thread_memory = "bind@0", .heap = "interleave"},
           {.threads = "0", .skip_threads = "x"},
           {.threads = "0", .skip_threads = ","},
           {.skip_threads = "1"},
           {.verbose = true},
           {.heap = "nonsense"},
           {.malloc_policy = "nonsense"},
           {.heap = "local", .malloc_policy = "bind"},
           {.place = {"size>1M: cyclic"}, .malloc_policy = "bind"},
           {.place = {"size>1M"}},
           {.place = {"cyclic"}},
           {.place = {"size>1M: nonsense"}},
           {.place = {"size>1Q: cyclic"}},
           {.place = {"size>1Mb: cyclic"}},
           {.place = {"size<1M: cyclic"}},
           {.place = {"size>99999999999999999999: cyclic"}},
           {.place = {"size>18446744073709551615: cyclic"}},
           {.place = {"size>16777216T: cyclic"}},
           {.place = {"size>1M: cyclic@0-3"}},
       }) {
    const auto plan = plan_threads(four_nodes(), request);
    ASSERT_FALSE(plan) << wire_text(*plan);
    EXPECT_EQ(plan.error().code, ErrorCode::bad_usage) << plan.error().message();
  }
}

TEST(PlanThreads, SaysWhatTheAgentCannotDo) {
  for (const ThreadRequest& request : std::vector<ThreadRequest>{
           {.thread_memory = "cyclic"},
           {.thread_memory = "bind:home=0@0-1"},
           {.heap = "block"},
           {.heap = "next-touch"},
           {.place = {"size>1M: next-touch"}},
           {.place = {"size>1M: cyclic:1000000"}},
           {.place = {"size>1M: weighted"}},
       }) {
    const auto plan = plan_threads(four_nodes(), request);
    ASSERT_FALSE(plan) << wire_text(*plan);
    EXPECT_EQ(plan.error().code, ErrorCode::not_supported) << plan.error().message();
  }
}

TEST(PlanThreads, RefusesAMapThatNoEnvironmentHolds) {
  const auto plan = plan_threads(four_nodes(), {.threads = "E:N:65000"});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::bad_usage);
}

TEST(NeedsTopology, IsForWordsOnly) {
  EXPECT_FALSE(needs_topology({.threads = "0-3:2.1+8,{0}"}));
  EXPECT_TRUE(needs_topology({.threads = "S0:0-3"}));
  EXPECT_TRUE(needs_topology({.threads = "cores(2)"}));
  EXPECT_TRUE(needs_topology({.place = {"size>1M: cyclic", "name=ns::u: weighted@0-1"}}));
  EXPECT_FALSE(needs_topology({.place = {"size>1M: weighted:1,2", "size>1M"}}));
}

using Variables = std::map<std::string, std::string>;

Lookup lookup_in(const Variables& present) {
  return [present](const std::string& name) {
    const auto found = present.find(name);
    return found == present.end() ? std::string() : found->second;
  };
}

Variables environment(const ThreadRequest& request, const Variables& present = {}) {
  const auto variables =
      agent_environment(*plan_threads(four_nodes(), request), "/agents", lookup_in(present));
  return {variables.begin(), variables.end()};
}

TEST(AgentEnvironment, PreloadsOnlyWhatIsNeeded) {
  const Variables threads{{"LD_PRELOAD", "/agents/libhomenode-agent.so"},
                          {"HOMENODE_AGENT", "1 cpus=0 threads=0"},
                          {"KMP_AFFINITY", "disabled"}};
  EXPECT_EQ(environment({.threads = "0"}), threads);
  const Variables heap{{"LD_PRELOAD", "/agents/libhomenode-agent.so"},
                       {"HOMENODE_AGENT", "1 heap=4"}};
  EXPECT_EQ(environment({.heap = "local"}), heap);
  const Variables allocator{{"LD_PRELOAD", "/agents/libhomenode-malloc.so:/other.so"},
                            {"HOMENODE_MALLOC_POLICY", "bind:strict"}};
  EXPECT_EQ(environment({.malloc_policy = "bind:strict"}, {{"LD_PRELOAD", "/other.so"}}),
            allocator);
  EXPECT_TRUE(environment({}, {{"LD_PRELOAD", "/other.so"}}).empty());
}

TEST(AgentEnvironment, KeepsWhatIsThere) {
  const Variables both =
      environment({.heap = "interleave", .place = {"size>=1M:block"}},
                  {{"LD_PRELOAD", "/other.so"}, {"GLIBC_TUNABLES", "glibc.malloc.check=3"}});
  EXPECT_EQ(both.at("LD_PRELOAD"),
            "/agents/libhomenode-agent.so:/agents/libhomenode-allocations.so:/other.so");
  EXPECT_EQ(both.at("GLIBC_TUNABLES"), "glibc.malloc.check=3:glibc.malloc.mmap_threshold=1048576");
  EXPECT_FALSE(
      environment({.threads = "0"}, {{"KMP_AFFINITY", "verbose"}}).contains("KMP_AFFINITY"));
}

TEST(AgentEnvironment, MakesEachLargeAllocationAMappingOfItsOwn) {
  const ThreadRequest huge{.place = {"size>=1T:block"}};
  EXPECT_EQ(environment(huge).at("GLIBC_TUNABLES"), "glibc.malloc.mmap_threshold=33554432");
  const std::string own = "glibc.malloc.mmap_threshold=5";
  EXPECT_EQ(environment(huge, {{"GLIBC_TUNABLES", own}}).at("GLIBC_TUNABLES"), own);
}

TEST(AgentConflicts, NamesEveryVariableThatBindsThreads) {
  const auto threads = *plan_threads(four_nodes(), {.threads = "0"});
  const auto conflicts = agent_conflicts(
      threads, lookup_in({{"OMP_PROC_BIND", "close"}, {"KMP_AFFINITY", "disabled"}}));
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_TRUE(conflicts.front().starts_with("OMP_PROC_BIND=close"));
  EXPECT_TRUE(agent_conflicts(threads, lookup_in({{"OMP_PROC_BIND", "false"}})).empty());
  const auto heap = *plan_threads(four_nodes(), {.heap = "local"});
  EXPECT_TRUE(agent_conflicts(heap, lookup_in({{"OMP_PLACES", "cores"}})).empty());
}

TEST(AgentFolder, IsFoundByTheVariableOrBesideTheCommand) {
  std::string pattern = (std::filesystem::temp_directory_path() / "homenode-XXXXXX").string();
  const std::filesystem::path root = std::filesystem::canonical(mkdtemp(pattern.data()));
  const auto put = [&root](const std::string& folder) {
    std::filesystem::create_directories(root / folder);
    std::ofstream(root / folder / "libhomenode-agent.so") << "x";
    return (root / folder).string();
  };
  const std::string command = (root / "bin/homenode").string();
  os::Linux os;
  const auto missing = agent_folder(os, command, "");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find((root / "libexec/homenode").string()),
            std::string::npos);
  const std::string lib64 = put("lib64/python3.12/site-packages/homenode/data/libexec");
  EXPECT_EQ(*agent_folder(os, command, ""), lib64);
  const std::string debian = put("lib/python3.13/dist-packages/homenode/data/libexec");
  EXPECT_EQ(*agent_folder(os, command, ""), debian);
  std::filesystem::remove_all(root / "lib/python3.13");
  const std::string wheel = put("lib/python3.11/site-packages/homenode/data/libexec");
  EXPECT_EQ(*agent_folder(os, command, ""), wheel);
  const std::string build_tree = put("lib");
  EXPECT_EQ(*agent_folder(os, command, ""), build_tree);
  const std::string installed = put("libexec/homenode");
  EXPECT_EQ(*agent_folder(os, command, ""), installed);
  const std::string fhs = put("lib/homenode");
  EXPECT_EQ(*agent_folder(os, command, ""), fhs);
  EXPECT_EQ(*agent_folder(os, (root / "libexec/homenode/homenode-native").string(), ""), fhs);
  const std::string named = put("elsewhere");
  EXPECT_EQ(*agent_folder(os, command, "/nowhere:" + named), named);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace homenode::launch
