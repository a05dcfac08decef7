#include "measure/memory.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "measure/working_set.h"
#include "support/machines.h"

namespace homenode::measure {
namespace {

using workloads::probe::Stop;

TEST(NodeMemory, LiesOnItsNodePageByPage) {
  os::Fake os(odd_kernel());
  const auto memory = NodeMemory::make(os, {NodeId(7), 4_MiB, false, false});
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_EQ(memory->facts().pages, 2048U);
  EXPECT_EQ(memory->facts().elsewhere, 0U);
  EXPECT_TRUE(memory->facts().audited);
  EXPECT_EQ(os.node_of(memory->stream()), NodeId(7));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->stream()) % array_unit.value, 0U);
  EXPECT_EQ(memory->stream_elements(), (4_MiB).value / 8);
}

TEST(NodeMemory, TheChainVisitsEveryLineOfTheSecondArray) {
  os::Fake os(odd_kernel());
  const auto memory = NodeMemory::make(os, {NodeId(0), 2_MiB, false, true});
  ASSERT_TRUE(memory);
  EXPECT_FALSE(memory->facts().page_local);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory->stream()) + (2_MiB).value;
  std::set<std::uintptr_t> lines;
  Stop* stop = memory->next_stop;
  for (std::size_t i = 0; i < (2_MiB).value / 64; ++i) {
    lines.insert(reinterpret_cast<std::uintptr_t>(stop));
    stop = workloads::probe::follow(stop, 1);
  }
  EXPECT_EQ(stop, memory->next_stop);
  EXPECT_EQ(lines.size(), (2_MiB).value / 64);
  EXPECT_EQ(*lines.begin(), begin);
  EXPECT_EQ(*lines.rbegin(), begin + (2_MiB).value - 64);
}

TEST(NodeMemory, WithoutHugePagesTheChainStaysInAPageAndLeavesHalfOfItsLinesOut) {
  os::Fake os(odd_kernel());
  os.set_file("/proc/self/smaps", "");
  const auto memory = NodeMemory::make(os, {NodeId(0), 2_MiB, false, false});
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->facts().page_local);
  EXPECT_FALSE(memory->facts().huge);
  const auto page_of = [](const Stop* stop) {
    return reinterpret_cast<std::uintptr_t>(stop) / os::fake_page_bytes;
  };
  Stop* stop = memory->next_stop;
  for (std::size_t i = 0; i < 31; ++i) stop = workloads::probe::follow(stop, 1);
  EXPECT_EQ(page_of(stop), page_of(memory->next_stop));
  stop = workloads::probe::follow(stop, 1);
  EXPECT_NE(page_of(stop), page_of(memory->next_stop));
}

TEST(NodeMemory, SaysWhichPagesAreElsewhere) {
  os::FakeMachine model = odd_kernel();
  model.memory.free_pages[NodeId(9)] = 1000;
  os::Fake os(model);
  const auto memory = NodeMemory::make(os, {NodeId(9), 4_MiB, false, false});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->facts().elsewhere, 2048U - 1000U);
  EXPECT_FALSE(memory->facts().why.empty());
}

TEST(NodeMemory, ARefusedPlacementIsAnErrorUnlessThereIsOneNodeOnly) {
  os::Fake os;
  os.fail_call("set_mempolicy", 1, EPERM);
  EXPECT_FALSE(NodeMemory::make(os, {NodeId(0), 2_MiB, false, false}));
  os.fail_call("set_mempolicy", 1, EPERM);
  const auto memory = NodeMemory::make(os, {NodeId(0), 2_MiB, true, false});
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_EQ(memory->facts().elsewhere, 0U);
}

TEST(NodeMemory, WhateverIsRefusedTheMappingIsGivenBack) {
  for (const char* call : {"advise_memory", "get_mempolicy", "set_mempolicy", "populate_memory",
                           "move_pages", "mbind", "read_file"}) {
    os::Fake os(odd_kernel());
    os.fail_call(call, 1, EPERM);
    {
      const auto memory = NodeMemory::make(os, {NodeId(1), 2_MiB, false, false});
      EXPECT_EQ(os.mappings() > 0, memory.has_value()) << call;
      if (!memory) {
        EXPECT_FALSE(memory.error().message().empty()) << call;
      }
    }
    EXPECT_TRUE(os.has_failed()) << call;
    EXPECT_EQ(os.mappings(), 0U) << call;
  }
}

TEST(NodeMemory, NoMemoryIsAnError) {
  os::Fake os(odd_kernel());
  os.fail_call("map_memory", 1, ENOMEM);
  const auto memory = NodeMemory::make(os, {NodeId(1), 2_MiB, false, false});
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().message().find("cannot allocate 4 MiB for node 1"), std::string::npos);
}

}  // namespace
}  // namespace homenode::measure
