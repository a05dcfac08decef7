#include <cerrno>

#include "actuation/audit.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

using placement::Policy;
using placement::PolicyKind;

constexpr std::size_t huge_pages_unit = os::fake_huge_page_bytes / os::fake_page_bytes;

/// Gives the number of times that it was asked, in microseconds.
class CountingClock final : public os::Clock {
 public:
  std::uint64_t now_ps(std::size_t) override { return 1000000 * ++asked_; }
  [[nodiscard]] bool modelled() const override { return false; }

 private:
  std::uint64_t asked_ = 0;
};

/// The address of a page in pages, which is what the kernel interleaves by.
std::size_t number(Region region, std::size_t page) {
  return reinterpret_cast<std::uintptr_t>(page_at(region, page)) / os::fake_page_bytes;
}

TEST(MoveToPolicy, BringsPagesIntoABindAndLeavesThoseThatAreThere) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 6);
  os.first_touch(page_at(region, 0), 2 * os::fake_page_bytes, NodeId(7));
  os.first_touch(page_at(region, 2), 2 * os::fake_page_bytes, NodeId(0));
  const auto receipt = move_to_policy(os, region, {PolicyKind::bind, {NodeId(1), NodeId(7)}});
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->pages, 4U);
  EXPECT_EQ(receipt->as_planned, 4U);
  EXPECT_EQ(receipt->moved, 2U);
  EXPECT_EQ(receipt->bytes_moved, 2 * os::fake_page_bytes);
  EXPECT_EQ(receipt->refused, 0U);
  EXPECT_EQ(os.node_of(page_at(region, 0)), NodeId(7));
  EXPECT_EQ(os.node_of(page_at(region, 3)), NodeId(1));
  os.first_touch(page_at(region, 5), os::fake_page_bytes, NodeId(0));
  EXPECT_EQ(os.node_of(page_at(region, 5)), NodeId(1));
}

TEST(MoveToPolicy, InterleavesByAddressAsTheKernelDoes) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
  const Region region = map_region(os, 9);
  os.first_touch(region.address, region.bytes, NodeId(0));
  const NodeSet nodes{NodeId(0), NodeId(2), NodeId(7), NodeId(30)};  // 30 has no memory.
  const auto receipt = move_to_policy(os, region, {PolicyKind::interleave, nodes});
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->as_planned, 9U);
  EXPECT_EQ(receipt->moved, 6U);
  const std::vector<NodeId> turns{NodeId(0), NodeId(2), NodeId(7)};
  for (std::size_t page = 0; page < 9; ++page) {
    EXPECT_EQ(os.node_of(page_at(region, page)), turns[number(region, page) % 3]);
  }
}

TEST(MoveToPolicy, WeighsTheTurnsAsSysfsSays) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
  os.set_file("/sys/kernel/mm/mempolicy/weighted_interleave/node7", "3\n");
  const Region region = map_region(os, 8);
  os.first_touch(region.address, region.bytes, NodeId(0));
  const Policy policy{PolicyKind::weighted_interleave, {NodeId(1), NodeId(7)}};
  const auto receipt = move_to_policy(os, region, policy);
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->as_planned, 8U);
  for (std::size_t page = 0; page < 8; ++page) {
    EXPECT_EQ(os.node_of(page_at(region, page)), NodeId(number(region, page) % 4 == 0 ? 1 : 7));
  }
}

TEST(MoveToPolicy, MovesHugePagesInTurnAsAWhole) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.huge_pages = true;
  os::Fake os(machine);
  const Region whole = map_region(os, 4 * huge_pages_unit);
  const auto first = reinterpret_cast<std::uintptr_t>(whole.address);
  const std::uintptr_t skipped =
      (os::fake_huge_page_bytes - first % os::fake_huge_page_bytes) % os::fake_huge_page_bytes;
  const Region region{static_cast<char*>(whole.address) + skipped, 2 * os::fake_huge_page_bytes};
  os.first_touch(region.address, region.bytes, NodeId(0));
  os.set_file("/proc/self/smaps", "0-ffffffffffffffff rw-p 0 0:0 0\nAnonHugePages: 4096 kB\n");
  const auto receipt = move_to_policy(os, region, {PolicyKind::interleave, {NodeId(1), NodeId(2)}});
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->moved, 2 * huge_pages_unit);
  EXPECT_EQ(os.node_of(page_at(region, 0)), os.node_of(page_at(region, huge_pages_unit - 1)));
  EXPECT_NE(os.node_of(page_at(region, 0)), os.node_of(page_at(region, huge_pages_unit)));
}

TEST(MoveToPolicy, PrefersTheHome) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 3);
  os.first_touch(region.address, region.bytes, NodeId(0));
  const Policy policy{PolicyKind::bind, {NodeId(1), NodeId(7)}, false, NodeId(7)};
  const auto receipt = move_to_policy(os, region, policy);
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->moved, 3U);
  EXPECT_EQ(os.node_of(page_at(region, 2)), NodeId(7));
}

TEST(MoveToPolicy, LocalBringsThePagesHereAndDefaultLeavesThem) {
  os::Fake os(four_node_machine());
  ASSERT_EQ(os.sched_setaffinity(0, {CpuId(6)}), 0);  // Of the node 7.
  const Region region = map_region(os, 3);
  os.first_touch(region.address, region.bytes, NodeId(0));
  const auto left = move_to_policy(os, region, {PolicyKind::default_policy, {}});
  ASSERT_TRUE(left) << left.error().message();
  EXPECT_EQ(left->moved, 0U);
  EXPECT_EQ(left->as_planned, 3U);
  const auto receipt = move_to_policy(os, region, {PolicyKind::local, {}});
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->moved, 3U);
  EXPECT_EQ(os.node_of(page_at(region, 0)), NodeId(7));
}

TEST(MoveToPolicy, SaysThatPagesStayedWhereTheKernelDoesNot) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.free_pages[NodeId(1)] = 2;
  os::Fake os(machine);
  const Region region = map_region(os, 5);
  os.first_touch(region.address, region.bytes, NodeId(0));
  const auto receipt = move_to_policy(os, region, {PolicyKind::bind, {NodeId(1)}});
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->as_planned, 2U);
  EXPECT_EQ(receipt->refused, 3U);
  ASSERT_EQ(receipt->refusals.size(), 1U);
  EXPECT_NE(receipt->refusals[0].message().find("3 pages to where the memory policy bind"),
            std::string::npos);
}

TEST(MoveToPolicy, TellsWhereTheTimeWent) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 5);
  os.first_touch(region.address, region.bytes, NodeId(0));
  CountingClock clock;
  const auto moved = move_to_policy(os, region, {PolicyKind::bind, {NodeId(1)}}, &clock);
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(moved->times.populate.value, 0);
  EXPECT_EQ(moved->times.audit.value, 2000);  // Before and after.
  EXPECT_EQ(moved->times.move.value, 1000);
  const auto placed = place_pages(os, region, placement::PageMap(5, NodeId(2)), &clock);
  ASSERT_TRUE(placed) << placed.error().message();
  EXPECT_EQ(placed->times.populate.value, 1000);
  EXPECT_EQ(placed->times.audit.value, 1000);
  EXPECT_EQ(placed->times.move.value, 1000);
  EXPECT_EQ(placed->bytes_moved, 5 * os::fake_page_bytes);
  EXPECT_EQ(place_pages(os, region, placement::PageMap(5, NodeId(2)))->times.audit.value, 0);
}

}  // namespace
}  // namespace homenode::actuation
