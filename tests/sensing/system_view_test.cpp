// The view of a whole machine, from captured files: what it holds, what it leaves out, and how few
// files it reads for a thousand processes.
#include "sensing/system_view.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "captured.h"
#include "fake/fake.h"

namespace homenode::sensing {
namespace {

class SystemViewFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    system.write_example();  // Process 100, with 4 KiB pages on 0, 1 and 64, and two threads.
    write_process({.id = 7, .name = "small", .cpu = 5, .threads = 1},
                  "7f0000000000 default anon=3 N1=3 kernelpagesize_kB=4\n");
  }

  void write_process(const StatWords& words, const std::string& numa_maps) const {
    const std::string folder = fmt::format("proc/{}/", words.id);
    system.write(folder + "stat", stat_line(words));
    system.write(folder + "numa_maps", numa_maps);
  }

  SystemView view() {
    auto found = read_system(files);
    EXPECT_TRUE(found) << found.error().message();
    return found ? *found : SystemView();
  }

  CapturedSystem system;
  os::Fake os;
  SystemFiles files{os, system.root()};
};

TEST_F(SystemViewFiles, HasTheLargestProcessFirstWithItsMemoryAndThreadsByNode) {
  const SystemView found = view();
  ASSERT_EQ(found.processes.size(), 2U);
  const ProcessUse& large = found.processes[0];
  EXPECT_EQ(large.pid, 100);
  EXPECT_EQ(large.name, "my prog");
  ASSERT_TRUE(large.memory);
  EXPECT_EQ(bytes_at(*large.memory, NodeId(1)), (40U + 600U + 4U) * 4096U);
  EXPECT_EQ(bytes_at(*large.memory, NodeId(64)), 4U << 20U) << "two huge pages";
  EXPECT_EQ(large.resident.value, sum_of(*large.memory));
  EXPECT_EQ(large.threads, 2U);
  EXPECT_EQ(large.threads_on, (std::map<NodeId, std::size_t>{{NodeId(0), 1}, {NodeId(1), 1}}));
  const ProcessUse& small = found.processes[1];
  EXPECT_EQ(small.threads_on, (std::map<NodeId, std::size_t>{{NodeId(1), 1}}));
  EXPECT_EQ(local_share(small), 1.0);
  EXPECT_LT(*local_share(large), 1.0) << "no thread ran on node 64";
  EXPECT_TRUE(found.notes.empty());
}

TEST_F(SystemViewFiles, HasWhatTheNodesMemoryIsUsedFor) {
  const std::string node = "sys/devices/system/node/node1/";
  system.write(node + "meminfo",
               "Node 1 MemTotal: 4096 kB\nNode 1 MemFree: 1024 kB\nNode 1 FilePages: 512 kB\n"
               "Node 1 AnonPages: 256 kB\nNode 1 Slab: 128 kB\nNode 1 AnonHugePages: 64 kB\n");
  system.write(node + "numastat",
               "numa_hit 10\nnuma_miss 20\nnuma_foreign 30\ninterleave_hit 40\nlocal_node 50\n"
               "other_node 60\n");
  system.write(node + "hugepages/hugepages-1048576kB/nr_hugepages", "1\n");
  system.write(node + "hugepages/hugepages-1048576kB/free_hugepages", "0\n");
  system.write(node + "hugepages/hugepages-2048kB/nr_hugepages", "8\n");
  system.write(node + "hugepages/hugepages-2048kB/free_hugepages", "5\n");
  system.write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "1\n");
  const SystemView found = view();
  ASSERT_EQ(found.nodes.size(), 3U);
  const NodeUse& use = found.nodes[1];
  EXPECT_EQ(use.node.free, 1_MiB);
  EXPECT_EQ(use.page_cache, 512_KiB);
  EXPECT_EQ(use.anonymous, 256_KiB);
  EXPECT_EQ(use.slab, 128_KiB);
  EXPECT_EQ(use.transparent_huge, 64_KiB);
  ASSERT_TRUE(use.counters);
  EXPECT_EQ(use.counters->hit, 10U);
  EXPECT_EQ(use.counters->miss, 20U);
  EXPECT_EQ(use.counters->foreign, 30U);
  EXPECT_EQ(use.counters->interleave, 40U);
  EXPECT_EQ(use.counters->local, 50U);
  EXPECT_EQ(use.counters->other, 60U);
  ASSERT_EQ(use.huge_pages.size(), 2U);
  EXPECT_EQ(use.huge_pages[0].page_size, 2_MiB);
  EXPECT_EQ(use.huge_pages[0].free, 5U);
  EXPECT_EQ(use.huge_pages[1].total, 1U);
  EXPECT_EQ(use.tier, 4U);
  EXPECT_EQ(found.nodes[0].tier, std::nullopt);
  EXPECT_FALSE(found.nodes[0].counters);
}

TEST_F(SystemViewFiles, LeavesOutWhatHasNoMemory) {
  write_process({.id = 2, .name = "kthreadd", .flags = 0x208040}, "");
  write_process({.id = 8, .name = "zombie", .state = 'Z'}, "");
  write_process({.id = 9, .name = "gone"}, "");
  system.remove("proc/9/numa_maps");
  EXPECT_EQ(view().processes.size(), 2U);
}

TEST_F(SystemViewFiles, AnotherUsersProcessHasItsSizeAndANote) {
  // The example's files, then stat of 7, its numa_maps.
  std::string path;
  os::Fake counting;
  unsigned nth = 0;
  for (unsigned call = 1; nth == 0; ++call) {
    os::Fake one;
    one.fail_call("read_file", call, EACCES);
    const auto found = read_system({one, system.root()});
    ASSERT_LT(one.count("read_file"), 100U);
    if (found && !found->notes.empty()) {
      nth = call;
      const auto unread = std::find_if(found->processes.begin(), found->processes.end(),
                                       [](const ProcessUse& use) { return !use.memory; });
      ASSERT_NE(unread, found->processes.end());
      EXPECT_EQ(unread->resident.value, 2048U * os.page_bytes()) << "of stat";
      EXPECT_EQ(local_share(*unread), std::nullopt);
      EXPECT_NE(found->notes.front().find("1 process by node"), std::string::npos);
      EXPECT_NE(found->notes.front().find("CAP_SYS_PTRACE"), std::string::npos);
    }
  }
}

TEST_F(SystemViewFiles, AKernelWithoutNumaHasOneNode) {
  system.remove("sys/devices/system/node");
  system.remove("proc/100");
  system.remove("proc/7/numa_maps");
  const SystemView found = view();
  ASSERT_EQ(found.processes.size(), 1U);
  EXPECT_EQ(found.processes[0].memory, (BytesOnNodes{{NodeId(0), 2048U * os.page_bytes()}}));
}

TEST_F(SystemViewFiles, AThousandProcessesTakeTwoReadsEach) {
  const unsigned fixed = [&] {
    view();
    return static_cast<unsigned>(os.count("read_file"));
  }();
  constexpr int processes = 1000;
  for (int pid = 1000; pid < 1000 + processes; ++pid) {
    write_process({.id = pid, .name = "one", .threads = 1},
                  "7f0000000000 default anon=3 N1=3 kernelpagesize_kB=4\n");
  }
  os::Fake counted;
  const auto found = read_system({counted, system.root()});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->processes.size(), processes + 2U);
  EXPECT_EQ(counted.count("read_file"), fixed + 2U * processes);
  EXPECT_EQ(counted.count("list_folder"), os.count("list_folder"))
      << "no folder of a process with one thread is listed";
}

TEST_F(SystemViewFiles, WithoutProcOrNodesItFails) {
  system.remove("proc");
  EXPECT_FALSE(read_system(files));
  system.write_example();
  system.write("sys/devices/system/node/online", "");
  EXPECT_FALSE(read_system(files));
}

}  // namespace
}  // namespace homenode::sensing
