// The model must keep the kernel's rules that placement relies on.
#include "fake/fake.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <cerrno>

#include "support/machines.h"

namespace homenode::os {
namespace {

char* map(Fake& os, std::size_t pages) {
  void* address = nullptr;
  EXPECT_EQ(os.map_memory(pages * fake_page_bytes, address), 0);
  return static_cast<char*>(address);
}

TEST(Fake, FirstTouchPutsPagesOnTheNodeOfTheCallersCpu) {
  Fake os(quad_kernel());
  char* const memory = map(os, 2);
  ASSERT_EQ(os.sched_setaffinity(0, CpuSet{CpuId(5)}), 0);
  ASSERT_EQ(os.populate_memory(memory, fake_page_bytes), 0);
  EXPECT_EQ(os.node_of(memory), NodeId(2));
  EXPECT_EQ(os.node_of(memory + fake_page_bytes), std::nullopt);
}

TEST(Fake, InterleavesPageByPage) {
  Fake os(quad_kernel());
  char* const memory = map(os, 4);
  ASSERT_EQ(os.set_mempolicy(MPOL_INTERLEAVE, NodeSet{NodeId(1), NodeId(3)}), 0);
  ASSERT_EQ(os.populate_memory(memory, 4 * fake_page_bytes), 0);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(os.node_of(memory + i * fake_page_bytes), NodeId(i % 2 == 0 ? 1 : 3));
  }
}

TEST(Fake, OnePolicyPerPageSplitsTheMappingAndHitsTheLimit) {
  FakeMachine machine = quad_kernel();
  machine.memory.max_mappings = 8;
  Fake os(machine);
  char* const memory = map(os, 16);
  int result = 0;
  for (unsigned i = 0; i < 16 && result == 0; i += 2) {
    result =
        os.mbind(memory + i * fake_page_bytes, fake_page_bytes, MPOL_BIND, NodeSet{NodeId(1)}, 0);
  }
  EXPECT_EQ(result, -ENOMEM);
  EXPECT_GT(os.mappings(), 4U);
}

TEST(Fake, AHugePageSwallowsItsNeighboursUnlessForbidden) {
  FakeMachine machine = quad_kernel();
  machine.memory.huge_pages = true;
  Fake os(machine);
  const std::size_t pages = 3 * fake_huge_page_bytes / fake_page_bytes;
  char* const memory = map(os, pages);
  char* const unit = memory + (fake_huge_page_bytes -
                               reinterpret_cast<std::uintptr_t>(memory) % fake_huge_page_bytes);
  ASSERT_EQ(os.populate_memory(unit, fake_page_bytes), 0);
  EXPECT_TRUE(os.node_of(unit + fake_huge_page_bytes - fake_page_bytes).has_value());
  char* const small = map(os, pages);
  ASSERT_EQ(os.advise_memory(small, pages * fake_page_bytes, MADV_NOHUGEPAGE), 0);
  ASSERT_EQ(os.populate_memory(small + fake_huge_page_bytes, fake_page_bytes), 0);
  EXPECT_FALSE(os.node_of(small + fake_huge_page_bytes + fake_page_bytes).has_value());
}

TEST(Fake, RefusesNodesThatTheProcessMayNotUse) {
  Fake os(quad_kernel());
  EXPECT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{NodeId(9)}), -EINVAL);
  EXPECT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{}), -EINVAL);
  EXPECT_EQ(os.set_mempolicy(MPOL_DEFAULT, NodeSet{NodeId(0)}), -EINVAL);
  EXPECT_EQ(os.sched_setaffinity(0, CpuSet{CpuId(99)}), -EINVAL);
}

TEST(Fake, WeighsTheTurnsOfWeightedInterleave) {
  FakeMachine machine = quad_kernel();
  machine.memory.weights = {{NodeId(1), 3}};
  Fake os(machine);
  char* const memory = map(os, 4);
  ASSERT_EQ(
      os.mbind(memory, 4 * fake_page_bytes, fake_weighted_interleave, {NodeId(1), NodeId(2)}, 0),
      0);
  ASSERT_EQ(os.populate_memory(memory, 4 * fake_page_bytes), 0);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(os.node_of(memory + i * fake_page_bytes), NodeId(i < 3 ? 1 : 2));
  }
}

TEST(Fake, LooksAtHomeFirst) {
  Fake os(quad_kernel());
  char* const memory = map(os, 2);
  const NodeSet nodes{NodeId(1), NodeId(3)};
  ASSERT_EQ(os.mbind(memory, fake_page_bytes, MPOL_BIND, nodes, 0), 0);
  EXPECT_EQ(os.set_home_node(memory, fake_page_bytes, NodeId(9)), -EINVAL);
  EXPECT_EQ(os.set_home_node(memory, fake_page_bytes, NodeId(3)), 0);
  ASSERT_EQ(os.populate_memory(memory, fake_page_bytes), 0);
  EXPECT_EQ(os.node_of(memory), NodeId(3));
  ASSERT_EQ(os.mbind(memory, fake_page_bytes, MPOL_INTERLEAVE, nodes, 0), 0);
  EXPECT_EQ(os.set_home_node(memory, fake_page_bytes, NodeId(3)), -EOPNOTSUPP);
  ASSERT_EQ(os.unmap_memory(memory, fake_page_bytes), 0);
  EXPECT_EQ(os.set_home_node(memory, fake_page_bytes, NodeId(3)), -EFAULT);
}

TEST(Fake, MbindWithMoveBringsPresentPagesIntoTheNodes) {
  Fake os(quad_kernel());
  char* const memory = map(os, 3);
  os.first_touch(memory, fake_page_bytes, NodeId(0));
  os.first_touch(memory + fake_page_bytes, fake_page_bytes, NodeId(3));
  const NodeSet nodes{NodeId(2), NodeId(3)};
  ASSERT_EQ(os.mbind(memory, 3 * fake_page_bytes, MPOL_BIND, nodes, MPOL_MF_MOVE), 0);
  EXPECT_EQ(os.node_of(memory), NodeId(2));
  EXPECT_EQ(os.node_of(memory + fake_page_bytes), NodeId(3));
  EXPECT_EQ(os.node_of(memory + 2 * fake_page_bytes), std::nullopt);
}

TEST(Fake, FailsTheCallThatItWasToldTo) {
  Fake os(quad_kernel());
  os.fail_call("set_mempolicy", 2, EPERM);
  EXPECT_EQ(os.set_mempolicy(MPOL_LOCAL, {}), 0);
  CpuSet cpus;
  EXPECT_EQ(os.sched_getaffinity(0, cpus), 0);
  EXPECT_FALSE(os.has_failed());
  EXPECT_EQ(os.set_mempolicy(MPOL_DEFAULT, {}), -EPERM);
  EXPECT_TRUE(os.has_failed());
  EXPECT_EQ(os.set_mempolicy(MPOL_DEFAULT, {}), 0);
  EXPECT_EQ(os.count("set_mempolicy"), 3U);
}

TEST(Fake, KeepsAPolicyForEachThread) {
  Fake os(quad_kernel());
  ASSERT_EQ(os.set_mempolicy(MPOL_BIND, NodeSet{NodeId(2)}), 0);
  int other_mode = -1;
  std::thread other([&] {
    NodeSet nodes;
    os.get_mempolicy(other_mode, nodes);
  });
  other.join();
  EXPECT_EQ(other_mode, MPOL_DEFAULT);
}

TEST(Fake, ReadsGivenFilesBeforeThoseBelowItsRoot) {
  Fake os;
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-3\n");
  std::string content;
  ASSERT_EQ(os.read_file("/proc/self/status", content), 0);
  EXPECT_EQ(content, "Mems_allowed_list:\t0-3\n");
  os.set_root("/no/such/root");
  EXPECT_EQ(os.read_file("/proc/meminfo", content), -ENOENT);
}

}  // namespace
}  // namespace homenode::os
