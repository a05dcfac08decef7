#include "cli/run/facts.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include <nlohmann/json.hpp>

#include "fake/fake.h"

namespace homenode::cli {
namespace {

using actuation::PolicyState;
using machine::read_hardware;

PolicyState state_of(int mode, NodeSet nodes) {
  PolicyState state;
  state.mode = mode;
  state.nodes = std::move(nodes);
  state.cpus = {CpuId(0), CpuId(2)};
  state.cpu_nodes = {NodeId(0), NodeId(1)};
  state.memory_nodes = mode == MPOL_BIND ? state.nodes : NodeSet::range(NodeId(0), NodeId(3));
  return state;
}

constexpr const char* cpu_lines = "physcpubind: 0 2 \ncpubind: 0 1 \nnodebind: 0 1 \n";

TEST(RunShow, PrintsNumactlsLines) {
  EXPECT_EQ(show_text(state_of(MPOL_DEFAULT, {})),
            std::string("policy: default\npreferred node: current\n") + cpu_lines +
                "membind: 0 1 2 3 \npreferred: \n");
  EXPECT_EQ(show_text(state_of(MPOL_BIND, {NodeId(1), NodeId(3)})),
            std::string("policy: bind\npreferred node: 1\n") + cpu_lines +
                "membind: 1 3 \npreferred: 1 3 \n");
  PolicyState interleaved = state_of(MPOL_INTERLEAVE, {NodeId(1), NodeId(3)});
  interleaved.next_interleaved = NodeId(3);
  EXPECT_EQ(show_text(interleaved),
            std::string("policy: interleave\npreferred node: 3 (interleave next)\n"
                        "interleavemask: 1 3 \ninterleavenode: 3\n") +
                cpu_lines + "membind: 0 1 2 3 \npreferred: 1 3 \n");
}

TEST(RunShow, NamesEveryPolicyWithoutItsFlags) {
  const std::vector<std::pair<int, std::string>> cases{
      {MPOL_PREFERRED, "policy: preferred\npreferred node: 2\n"},
      {5, "policy: preferred-many\npreferred node: 2 (preferred-many)\n"},
      {MPOL_BIND | (1 << 13), "policy: bind\npreferred node: 2\n"},
      {6, "policy: weighted interleave\npreferred node: 2\n"},
      {9, "policy: [9]\npreferred node: 2\n"},
  };
  for (const auto& [mode, start] : cases) {
    EXPECT_EQ(show_text(state_of(mode, {NodeId(2)})).substr(0, start.size()), start);
  }
  EXPECT_TRUE(
      show_text(state_of(MPOL_LOCAL, {})).starts_with("policy: local\npreferred node: current\n"));
}

TEST(RunShow, HasTheSameInJson) {
  const auto json =
      nlohmann::json::parse(show_json(state_of(MPOL_BIND | (1 << 13), {NodeId(1), NodeId(3)})));
  EXPECT_EQ(json["schema"], "homenode.run.show/2");
  EXPECT_EQ(json["policy"], "bind");
  EXPECT_EQ(json["balancing"], true);
  EXPECT_EQ(json["nodes"], (std::vector<int>{1, 3}));
  EXPECT_EQ(json["cpus"], (std::vector<int>{0, 2}));
  EXPECT_TRUE(json["next_interleaved"].is_null());
  const auto weighted = nlohmann::json::parse(show_json(state_of(6, {NodeId(1)})));
  EXPECT_EQ(weighted["policy"], "weighted-interleave");
}

machine::Machine one_node_and_memory() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1), CpuId(4)}, 16_MiB, {}},
                   {NodeId(2), {}, 8_MiB, {}}};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

void set_files(os::Fake& os) {
  os.set_file("/sys/devices/system/node/node0/meminfo", "Node 0 MemFree:   5120 kB\n");
  os.set_file("/sys/devices/system/node/node2/meminfo", "Node 2 MemFree:   2047 kB\n");
  os.set_file("/sys/devices/system/node/node0/distance", "10 32\n");
  os.set_file("/sys/devices/system/node/node2/distance", "32 10\n");
}

TEST(RunHardware, PrintsNumactlsLines) {
  os::Fake os;
  set_files(os);
  const auto nodes = read_hardware(os, one_node_and_memory());
  ASSERT_TRUE(nodes);
  const std::string memory = "node 0 size: 16 MB\nnode 0 free: 5 MB\n";
  EXPECT_EQ(hardware_text(*nodes, false),
            "available: 2 nodes (0,2)\nnode 0 cpus: 0 1 4\n" + memory +
                "node 2 cpus:\nnode 2 size: 8 MB\nnode 2 free: 1 MB\n"
                "node distances:\nnode     0    2 \n   0:   10   32 \n   2:   32   10 \n");
  EXPECT_NE(hardware_text(*nodes, true).find("node 0 cpus: 0-1, 4 (3)\n"), std::string::npos);
  EXPECT_NE(hardware_text(*nodes, true).find("node 2 cpus: (0)\n"), std::string::npos);
}

TEST(RunHardware, HasTheSameInJson) {
  os::Fake os;
  set_files(os);
  const auto json = nlohmann::json::parse(hardware_json(*read_hardware(os, one_node_and_memory())));
  EXPECT_EQ(json["schema"], "homenode.run.hardware/2");
  EXPECT_EQ(json["nodes"][1]["id"], 2);
  EXPECT_EQ(json["nodes"][0]["cpus"], (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(json["nodes"][0]["free_bytes"], 5120 * 1024);
  EXPECT_EQ(json["nodes"][1]["distances"], (std::vector<int>{32, 10}));
}

TEST(RunHardware, SaysWhereDistancesAreMissing) {
  os::Fake os;
  os.set_root("/nonexistent");
  os.set_file("/proc/meminfo", "MemFree: 1024 kB\n");
  machine::Machine one_node = one_node_and_memory();
  one_node.nodes.pop_back();
  const auto nodes = read_hardware(os, one_node);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->front().free, 1_MiB);
  EXPECT_TRUE(hardware_text(*nodes, false).ends_with("No distance information available.\n"));
}

TEST(RunHardware, TakesTheSystemsMemoryForNoNodes) {
  os::Fake os;
  os.set_root("/nonexistent");
  os.set_file("/proc/meminfo", "MemFree: 1024 kB\n");
  EXPECT_FALSE(read_hardware(os, one_node_and_memory()));
  set_files(os);
  EXPECT_TRUE(read_hardware(os, one_node_and_memory()));
  os.fail_call("read_file", 1, EIO);
  EXPECT_FALSE(read_hardware(os, one_node_and_memory()));
}

}  // namespace
}  // namespace homenode::cli
