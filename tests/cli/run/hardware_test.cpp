#include "cli/run/hardware.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake/fake.h"

namespace homenode::cli {
namespace {

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
  EXPECT_EQ(json["schema"], "homenode.run.hardware/1");
  EXPECT_EQ(json["nodes"][1]["node"], 2);
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
