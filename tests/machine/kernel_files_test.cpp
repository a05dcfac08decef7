// The kernel's files: their text, damaged too, and what stands for those that are not there.
#include "machine/kernel_files.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "fake/fake.h"

namespace homenode::machine {
namespace {

constexpr const char* status =
    "Name:\thomenode\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n"
    "Mems_allowed:\t00000005\nMems_allowed_list:\t0,2\n";

TEST(KernelText, HasItsValuesAtTheStartOfLines) {
  EXPECT_EQ(value_after("a: 1\nb:\t 2 \n", "b:"), "2");
  EXPECT_EQ(value_after("ab: 1\nb: 2", "b:"), "2");
  EXPECT_EQ(value_after("a: 1\n", "b:"), "");
}

TEST(KernelText, SaysAmountsOfTheSystemAndOfANode) {
  EXPECT_EQ(memory_amount("MemTotal: 10 kB\nMemFree:   2048 kB\n", "MemFree:"), 2_MiB);
  EXPECT_EQ(memory_amount("Node 4 MemFree:   2048 kB\n", "MemFree:"), 2_MiB);
  EXPECT_EQ(memory_amount("HighMemFree: 1 kB\n", "MemFree:"), std::nullopt);
  EXPECT_EQ(memory_amount("MemFree: 99999999999999999 kB\n", "MemFree:"), std::nullopt);
  EXPECT_EQ(memory_amount("MemFree: many\n", "MemFree:"), std::nullopt);
}

TEST(KernelText, SaysWhatTheProcessMayUse) {
  EXPECT_EQ(allowed_cpus_in(status), (CpuSet{CpuId(0), CpuId(1), CpuId(2), CpuId(3), CpuId(8)}));
  EXPECT_EQ(allowed_nodes_in(status), (NodeSet{NodeId(0), NodeId(2)}));
  EXPECT_EQ(allowed_nodes_in("Name:\tx\n"), std::nullopt);
  EXPECT_EQ(allowed_nodes_in("Mems_allowed_list:\t\n"), std::nullopt);
  EXPECT_EQ(allowed_nodes_in("Mems_allowed_list:\t0-\n"), std::nullopt);
}

TEST(NodeFiles, AreListsAndDistances) {
  os::Fake os;
  os.set_root("/nonexistent");
  NodeSet nodes{NodeId(9)};
  EXPECT_EQ(read_node_list(os, "online", nodes), -ENOENT);
  os.set_file("/sys/devices/system/node/online", "0,4\n");
  EXPECT_EQ(read_node_list(os, "online", nodes), 0);
  EXPECT_EQ(nodes, (NodeSet{NodeId(0), NodeId(4)}));
  os.set_file("/sys/devices/system/node/has_memory", "\n");
  EXPECT_EQ(read_node_list(os, "has_memory", nodes), -EINVAL);
  EXPECT_TRUE(read_node_distances(os, NodeId(4)).empty());
  os.set_file("/sys/devices/system/node/node4/distance", "21 10\n");
  EXPECT_EQ(read_node_distances(os, NodeId(4)), (std::vector<unsigned>{21, 10}));
  os.set_file("/sys/devices/system/node/node4/distance", "21 x\n");
  EXPECT_TRUE(read_node_distances(os, NodeId(4)).empty());
}

TEST(KernelFiles, LieBelowHwlocsRoot) {
  os::Fake os;
  os.set_root("/nonexistent");
  os.set_file("/captured/proc/meminfo", "MemAvailable:   2048 kB\n");
  EXPECT_FALSE(available_memory(os));
  ASSERT_EQ(setenv("HWLOC_FSROOT", "/captured", 1), 0);
  EXPECT_EQ(available_memory(os), 2_MiB);
  unsetenv("HWLOC_FSROOT");
}

TEST(FreeMemory, IsWhatEachNodesFileSays) {
  os::Fake os;
  os.set_root("/nonexistent");
  os.set_file("/sys/devices/system/node/node4/meminfo",
              "Node 4 MemTotal:        100 kB\nNode 4 MemFree:          40 kB\n");
  EXPECT_EQ(free_memory(os, {NodeId(0), NodeId(4)}),
            (std::map<NodeId, Bytes>{{NodeId(4), Bytes{40 << 10}}}));
  EXPECT_FALSE(available_memory(os));
  os.set_file("/proc/meminfo", "MemTotal: 10 kB\nMemAvailable:   2048 kB\n");
  EXPECT_EQ(available_memory(os), 2_MiB);
}

TEST(KernelFiles, TiersAreThoseOfTheNodesInTheirLists) {
  os::Fake os;
  const std::string folder = std::string("/root") + tier_folder;
  os.set_file(folder + "memory_tier4/nodelist", "0-1\n");
  os.set_file(folder + "memory_tier961/nodelist", "2\n");
  os.set_file(folder + "power/nodelist", "3\n");
  os.set_file(folder + "memory_tier9/nodelist", "nonsense\n");
  const std::map<NodeId, unsigned> expected{{NodeId(0), 4}, {NodeId(1), 4}, {NodeId(2), 961}};
  EXPECT_EQ(memory_tiers(os, "/root"), expected);
  os.fail_call("list_folder", 1, ENOENT);
  EXPECT_TRUE(memory_tiers(os, "/root").empty()) << "as kernels before 6.1 have it";
}

}  // namespace
}  // namespace homenode::machine
