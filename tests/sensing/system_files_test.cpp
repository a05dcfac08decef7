// Nodes from /sys, and the one node of a kernel without NUMA.
#include "sensing/system_files.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/id_list.h"
#include "captured.h"
#include "fake/fake.h"

namespace homenode::sensing {
namespace {

TEST(SystemFiles, NodesAreSparseAndMayHaveNoCpus) {
  const CapturedSystem system;
  system.write_example();
  os::Fake os;
  const auto nodes = *read_nodes({os, system.root()}, {});
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[2].id, NodeId(64));
  EXPECT_TRUE(nodes[2].cpus.empty());
  EXPECT_EQ(nodes[1].cpus, CpuSet::range(CpuId(4), CpuId(7)));
  EXPECT_EQ(nodes[1].free, Bytes{400000U << 10U});
  EXPECT_EQ(nodes[1].total, Bytes{1048576U << 10U});
  EXPECT_TRUE(nodes[1].memory_known);
}

TEST(SystemFiles, TheCpusetOfAProcessIsThatOfTheNearestCgroupThatNamesCpus) {
  const CapturedSystem system;
  system.write("sys/devices/system/cpu/online", "0-7\n");
  system.write("proc/40/cgroup", "0::/a/b/c\n");
  system.write("proc/41/cgroup", "3:cpu:/x\n");
  system.write("sys/fs/cgroup/a/cpuset.cpus.effective", "2-5\n");
  os::Fake os;
  EXPECT_EQ(to_list(cpuset_of({os, system.root()}, 40)), "2-5");
  EXPECT_EQ(to_list(cpuset_of({os, system.root()}, 41)), "0-7");
  EXPECT_EQ(cgroup_in("4:cpu:/a\n0::/b/c\n"), "/b/c");
  EXPECT_EQ(cgroup_in("4:cpu:/a\n"), "");
}

TEST(SystemFiles, AThreadThatIsListedOnceIsAThread) {
  os::Fake os;
  os.set_lists("/proc/40/task", {{"40", "43"}, {"40", "41"}, {"40", "41"}});
  std::vector<pid_t> threads{7};
  EXPECT_EQ(SystemFiles{os}.list_threads(40, threads), 0);
  EXPECT_EQ(threads, (std::vector<pid_t>{40, 41, 43}));
}

TEST(SystemFiles, AProcessThatHasEndedHasNoThreads) {
  os::Fake os;
  std::vector<pid_t> threads;
  EXPECT_LT((SystemFiles{os, "/nowhere"}.list_threads(1, threads)), 0);
  EXPECT_TRUE(threads.empty());
}

TEST(SystemFiles, AKernelWithoutNumaHasOneNode) {
  const CapturedSystem system;
  system.write("sys/devices/system/cpu/online", "0-1\n");
  system.write("proc/meminfo", "MemTotal:  4096 kB\nMemFree:  1024 kB\nSwapFree: 7 kB\n");
  os::Fake os;
  const auto nodes = *read_nodes({os, system.root()}, {NodeId(0)});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].id, NodeId(0));
  EXPECT_EQ(to_list(nodes[0].cpus), "0-1");
  EXPECT_EQ(nodes[0].total, 4_MiB);
  EXPECT_EQ(nodes[0].free, 1_MiB);
}

TEST(SystemFiles, WhatCannotBeReadIsEmpty) {
  const CapturedSystem system;
  system.write("sys/devices/system/node/online", "0\n");
  os::Fake os;
  const auto nodes = *read_nodes({os, system.root()}, {});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_TRUE(nodes[0].cpus.empty());
  EXPECT_EQ(nodes[0].total, Bytes());
  EXPECT_FALSE(nodes[0].memory_known);
}

TEST(SystemFiles, AListThatCannotBeReadIsNotOneNode) {
  const CapturedSystem system;
  os::Fake os;
  const SystemFiles files{os, system.root()};
  EXPECT_TRUE(read_nodes(files, {NodeId(0)}));
  const auto hidden = read_nodes(files, {NodeId(0), NodeId(1)});
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().errno_value, ENOENT);
  os.fail_call("read_file", 1, EACCES);
  EXPECT_FALSE(read_nodes(files, {NodeId(0)}));
  system.write("sys/devices/system/node/online", "nonsense\n");
  EXPECT_FALSE(read_nodes(files, {NodeId(0)}));
}

TEST(SystemFiles, NumbersInAFolderAreSorted) {
  const CapturedSystem system;
  for (const char* name : {"proc/100/stat", "proc/9/stat", "proc/self/stat", "proc/7x/stat"}) {
    system.write(name, "");
  }
  os::Fake os;
  const SystemFiles files{os, system.root()};
  std::vector<pid_t> numbers;
  EXPECT_EQ(files.list_numbers("/proc", numbers), 0);
  EXPECT_EQ(numbers, (std::vector<pid_t>{9, 100}));
  EXPECT_EQ(files.list_numbers("/nowhere", numbers), -ENOENT);
  EXPECT_TRUE(numbers.empty());
  os.fail_call("list_folder", 1, EMFILE);
  EXPECT_EQ(files.list_numbers("/proc", numbers), -EMFILE);
  EXPECT_TRUE(numbers.empty());
}

}  // namespace
}  // namespace homenode::sensing
