// The kernel that the test runs on, whatever it is: what it does not have, it must say by errno.
#include "os/linux.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace homenode::os {
namespace {

bool lacks_numa(int result) {
  return result == -ENOSYS || result == -EPERM;
}

TEST(Linux, GivesBackThePolicyThatWasSet) {
  Linux os;
  int mode = -1;
  NodeSet nodes;
  const int result = os.get_mempolicy(mode, nodes);
  if (lacks_numa(result)) GTEST_SKIP() << "no memory policies here";
  ASSERT_EQ(result, 0);
  CpuId cpu;
  NodeId here;
  ASSERT_EQ(os.getcpu(cpu, here), 0);
  ASSERT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{here}), 0);
  int now = -1;
  NodeSet bound;
  EXPECT_EQ(os.get_mempolicy(now, bound), 0);
  EXPECT_EQ(now, MPOL_BIND);
  EXPECT_EQ(bound, NodeSet{here});
  EXPECT_EQ(os.set_mempolicy(MPOL_INTERLEAVE, NodeSet{here}), 0);
  NodeId next(4711);
  EXPECT_EQ(os.next_interleave_node(next), 0);
  EXPECT_EQ(next, here);
  EXPECT_EQ(os.set_mempolicy(mode, nodes), 0);
}

TEST(Linux, PassesTheLastNodeOfAMaskWord) {
  // Node 63 and 1023 exist on no test machine: EINVAL shows that the kernel saw the bit at all.
  Linux os;
  int mode = 0;
  NodeSet nodes;
  if (lacks_numa(os.get_mempolicy(mode, nodes))) GTEST_SKIP() << "no memory policies here";
  EXPECT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{NodeId(63)}), -EINVAL);
  EXPECT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{NodeId(1023)}), -EINVAL);
  EXPECT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{NodeId(60000)}), -EINVAL);
  int after = -1;
  NodeSet nodes_after;
  EXPECT_EQ(os.get_mempolicy(after, nodes_after), 0);
  EXPECT_EQ(after, mode);
}

TEST(Linux, GivesABindAHomeAndRefusesItElsewhere) {
  Linux os;
  CpuId cpu;
  NodeId here;
  ASSERT_EQ(os.getcpu(cpu, here), 0);
  void* memory = nullptr;
  ASSERT_EQ(os.map_memory(os.page_bytes(), memory), 0);
  const int bound = os.mbind(memory, os.page_bytes(), MPOL_BIND, NodeSet{here}, 0);
  if (lacks_numa(bound)) GTEST_SKIP() << "no memory policies here";
  ASSERT_EQ(bound, 0);
  const int at_home = os.set_home_node(memory, os.page_bytes(), here);
  if (lacks_numa(at_home)) GTEST_SKIP() << "no home nodes here";
  EXPECT_EQ(at_home, 0);
  EXPECT_EQ(os.set_home_node(memory, os.page_bytes(), NodeId(60000)), -EINVAL);
  ASSERT_EQ(os.mbind(memory, os.page_bytes(), MPOL_INTERLEAVE, NodeSet{here}, 0), 0);
  EXPECT_EQ(os.set_home_node(memory, os.page_bytes(), here), -EOPNOTSUPP);
  EXPECT_EQ(os.unmap_memory(memory, os.page_bytes()), 0);
}

TEST(Linux, BindsAndRestoresTheCallersCpus) {
  Linux os;
  CpuSet before;
  ASSERT_EQ(os.sched_getaffinity(0, before), 0);
  ASSERT_FALSE(before.empty());
  const CpuSet one{before.to_vector().back()};
  ASSERT_EQ(os.sched_setaffinity(0, one), 0);
  CpuSet now;
  EXPECT_EQ(os.sched_getaffinity(0, now), 0);
  EXPECT_EQ(now, one);
  CpuId cpu;
  NodeId node;
  EXPECT_EQ(os.getcpu(cpu, node), 0);
  EXPECT_EQ(cpu, one.to_vector().front());
  EXPECT_EQ(os.sched_setaffinity(0, before), 0);
  EXPECT_EQ(os.sched_setaffinity(0, CpuSet{}), -EINVAL);
}

/// Pages of address space that this process has.
std::size_t pages_of_address_space() {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) ADD_FAILURE() << "no statm";
  if (file != nullptr) std::fclose(file);
  return pages;
}

TEST(Linux, MapsNoMoreThanWasAskedForWhereverItIsAligned) {
  Linux os;
  const std::size_t page = os.page_bytes();
  (void)pages_of_address_space();  // What it allocates once stays.
  for (const std::size_t bytes : {page, 64 * page, 100 * page + 1}) {
    const std::size_t before = pages_of_address_space();
    void* memory = nullptr;
    ASSERT_EQ(os.map_aligned_memory(bytes, 64 * page, memory), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (64 * page), 0U);
    EXPECT_EQ(pages_of_address_space() - before, (bytes + page - 1) / page);
    std::memset(memory, 1, bytes);
    EXPECT_EQ(os.unmap_memory(memory, bytes), 0);
    EXPECT_EQ(pages_of_address_space(), before);
  }
}

TEST(Linux, PopulatedMemoryIsPresentAndKeepsItsContent) {
  Linux os;
  const std::size_t page = os.page_bytes();
  void* memory = nullptr;
  ASSERT_EQ(os.map_memory(4 * page, memory), 0);
  static_cast<char*>(memory)[page] = 'x';
  ASSERT_EQ(os.populate_memory(memory, 4 * page), 0);
  EXPECT_EQ(static_cast<char*>(memory)[page], 'x');
  EXPECT_EQ(static_cast<char*>(memory)[0], 0);
  std::vector<void*> pages;
  for (std::size_t i = 0; i < 4; ++i) pages.push_back(static_cast<char*>(memory) + i * page);
  std::vector<int> status(4, -1);
  const int result = os.move_pages(0, pages, {}, status, 0);
  if (!lacks_numa(result)) {
    EXPECT_EQ(result, 0);
    for (int node : status) EXPECT_GE(node, 0);
  }
  EXPECT_EQ(os.unmap_memory(memory, 4 * page), 0);
  EXPECT_LT(os.populate_memory(memory, 4 * page), 0);
}

TEST(Linux, PopulatesManyRangesAndStopsAtTheFirstThatFails) {
  Linux os;
  const std::size_t page = os.page_bytes();
  const std::size_t pages = 5000;  // More than one call takes.
  void* memory = nullptr;
  ASSERT_EQ(os.map_memory(pages * page, memory), 0);
  std::vector<MemoryRange> every_second;
  for (std::size_t i = 0; i < pages; i += 2) {
    every_second.push_back({static_cast<char*>(memory) + i * page, page});
  }
  os.advise_memory(memory, pages * page, MADV_NOHUGEPAGE);
  ASSERT_EQ(os.populate_ranges(every_second), 0);
  std::vector<unsigned char> present(pages);
  ASSERT_EQ(mincore(memory, pages * page, present.data()), 0);
  for (std::size_t i = 0; i < pages; ++i) ASSERT_EQ(present[i] & 1U, i % 2 == 0 ? 1U : 0U) << i;
  // A hole in the middle: what comes before it is present, and the error is the hole's.
  ASSERT_EQ(os.unmap_memory(static_cast<char*>(memory) + 3000 * page, page), 0);
  const std::vector<MemoryRange> ranges{{static_cast<char*>(memory) + 2999 * page, page},
                                        {static_cast<char*>(memory) + 3000 * page, page}};
  EXPECT_LT(os.populate_ranges(ranges), 0);
  ASSERT_EQ(mincore(ranges[0].address, page, present.data()), 0);
  EXPECT_EQ(present[0] & 1U, 1U);
  EXPECT_EQ(os.populate_ranges({}), 0);
  os.unmap_memory(memory, pages * page);
}

TEST(Linux, ReadsAFileOrSaysWhyNot) {
  Linux os;
  std::string content = "left from before";
  ASSERT_EQ(os.read_file("/proc/self/status", content), 0);
  EXPECT_NE(content.find("Cpus_allowed_list:"), std::string::npos);
  EXPECT_EQ(content.find("left from before"), std::string::npos);
  EXPECT_EQ(os.read_file("/no/such/file", content), -ENOENT);
  EXPECT_EQ(os.read_file("/proc", content), -EISDIR);
}

TEST(Linux, ReadsAPieceOfMemoryThroughItsFile) {
  Linux os;
  const char text[] = "here it is";
  char piece[4] = {};
  const auto address = reinterpret_cast<std::uintptr_t>(text);
  ASSERT_EQ(os.read_file_at("/proc/self/mem", address + 5, piece), 4);
  EXPECT_EQ(std::string(piece, 4), "it i");
  EXPECT_EQ(os.read_file_at("/proc/self/mem", 0, piece), -EIO);
  EXPECT_EQ(os.read_file_at("/no/such/file", 0, piece), -ENOENT);
  EXPECT_EQ(os.read_file_at("/dev/null", 0, piece), 0);
}

TEST(Linux, ExecuteReplacesTheProcessOrSaysWhyNot) {
  Linux os;
  EXPECT_EQ(os.execute({"/no/such/program"}), -ENOENT);
  EXPECT_EQ(os.execute({"/proc/self/status"}), -EACCES);
  EXPECT_EQ(os.execute({}), -EINVAL);
  const pid_t child = fork();
  if (child == 0) {
    os.execute({"sh", "-c", "exit 42"});
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace homenode::os
