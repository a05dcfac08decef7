// place_pages on a model of four nodes.
#include <linux/mempolicy.h>

#include <cerrno>

#include "actuation/region.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

using placement::block;
using placement::cyclic;
using placement::PageMap;

void expect_placed(const os::Fake& os, Region region, const PageMap& map) {
  for (std::size_t page = 0; page < map.size(); ++page) {
    ASSERT_EQ(os.node_of(page_at(region, page)), map[page]) << "page " << page;
  }
}

TEST(PlacePages, PutsEveryPageOfAFreshRegionWhereTheMapSays) {
  for (const PageMap& map : {block(1001, four_nodes), cyclic(1001, four_nodes),
                             cyclic(1001, four_nodes, 3), PageMap(5, NodeId(7))}) {
    os::Fake os(four_node_machine());
    const Region region = map_region(os, map.size());
    const auto receipt = place_pages(os, region, map);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->pages, map.size());
    EXPECT_EQ(receipt->as_planned, map.size());
    EXPECT_EQ(receipt->moved, 0U);
    EXPECT_EQ(receipt->refused, 0U);
    expect_placed(os, region, map);
  }
}

TEST(PlacePages, NeedsOnePolicyCallPerNodeAndSplitsNoMapping) {
  os::Fake os(four_node_machine());
  const PageMap map = cyclic(4096, four_nodes, 3);
  const Region region = map_region(os, map.size());
  const std::size_t mappings = os.mappings();
  ASSERT_TRUE(place_pages(os, region, map));
  EXPECT_EQ(os.mappings(), mappings);
  EXPECT_EQ(os.count("set_mempolicy"), four_nodes.size() + 1);
  EXPECT_EQ(os.count("mbind"), 0U);
}

/// Every page where the kernel's interleaving over all nodes has it.
PageMap interleaved_map(Region region, std::size_t pages) {
  PageMap map;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(region.address) / os::fake_page_bytes;
  for (std::size_t i = 0; i < pages; ++i) map.push_back(four_nodes[(first + i) % 4]);
  return map;
}

TEST(PlacePages, NeedsOnePolicyWhereTheKernelInterleavesThatWay) {
  constexpr std::size_t pages = 1001;
  for (const char* const refused : {"", "set_mempolicy", "populate_memory"}) {
    os::Fake os(four_node_machine());
    const Region region = map_region(os, pages);
    const PageMap map = interleaved_map(region, pages);
    if (*refused != 0) os.fail_call(refused, 1, ENOMEM);
    const auto receipt = place_pages(os, region, map);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->as_planned, pages);
    EXPECT_EQ(receipt->moved, 0U);
    expect_placed(os, region, map);
    EXPECT_EQ(os.count("set_mempolicy"), *refused == 0 ? 2 : 2 + four_nodes.size());
    EXPECT_EQ(os.count("mbind"), 0U);
  }
}

TEST(PlacePages, HasAPolicyForEachNodeWhereInterleavingBeginsElsewhere) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 1000);
  const PageMap map = interleaved_map(region, 1000);
  os.first_touch(region.address, os::fake_page_bytes, map[1]);
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, map.size());
  EXPECT_EQ(os.count("set_mempolicy"), 2 + four_nodes.size());
  expect_placed(os, region, map);
}

TEST(PlacePages, MovesPagesThatArePresentElsewhere) {
  os::Fake os(four_node_machine());
  const PageMap map = block(10000, four_nodes);
  const Region region = map_region(os, map.size());
  os.first_touch(region.address, region.bytes / 2, NodeId(7));
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, map.size());
  EXPECT_EQ(receipt->moved, map.size() / 2);
  expect_placed(os, region, map);
}

TEST(PlacePages, IsNotFooledByHugePages) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.huge_pages = true;
  for (const bool present : {false, true}) {
    os::Fake os(machine);
    const PageMap map = cyclic(3000, four_nodes);
    const Region region = map_region(os, map.size());
    if (present) os.first_touch(region.address, region.bytes, NodeId(1));
    const auto receipt = place_pages(os, region, map);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->as_planned, map.size());
    expect_placed(os, region, map);
  }
}

TEST(PlacePages, BringsBackWhatASplitHugePageLetsGo) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.huge_pages = true;
  machine.memory.split_lets_go = true;
  os::Fake os(machine);
  const PageMap map = cyclic(4 * os::fake_huge_page_bytes / os::fake_page_bytes, four_nodes);
  const Region region = map_region(os, map.size());
  os.first_touch(region.address, region.bytes, NodeId(2));
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt) << receipt.error().message();
  EXPECT_EQ(receipt->as_planned, map.size());
  for (std::size_t page = 0; page < map.size(); ++page) {
    ASSERT_EQ(os.node_of(page_at(region, page)), map[page]);
  }
}

TEST(PlacePages, LeavesHugePagesAloneWhereTheMapDoesNotDivideThem) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.huge_pages = true;
  os::Fake os(machine);
  const PageMap map(2048, NodeId(2));
  const Region region = map_region(os, map.size());
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, map.size());
  EXPECT_EQ(os.count("advise_memory"), 0U);
}

TEST(PlacePages, RestoresTheThreadsPolicy) {
  os::Fake os(four_node_machine());
  const NodeSet nodes{NodeId(0), NodeId(2)};
  ASSERT_EQ(os.set_mempolicy(MPOL_INTERLEAVE, nodes), 0);
  const Region region = map_region(os, 8);
  ASSERT_TRUE(place_pages(os, region, cyclic(8, four_nodes)));
  int mode = -1;
  NodeSet now;
  os.get_mempolicy(mode, now);
  EXPECT_EQ(mode, MPOL_INTERLEAVE);
  EXPECT_EQ(now, nodes);
}

TEST(PlacePages, WinsOverAPolicyOfTheRegion) {
  os::Fake os(four_node_machine());
  const PageMap map = cyclic(64, four_nodes);
  const Region region = map_region(os, map.size());
  ASSERT_TRUE(set_region_policy(os, region, {placement::PolicyKind::bind, {NodeId(0)}}));
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, map.size());
  expect_placed(os, region, map);
}

TEST(PlacePages, TellsOfANodeThatIsFull) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.free_pages[NodeId(2)] = 10;
  os::Fake os(machine);
  const PageMap map = cyclic(400, four_nodes);
  const Region region = map_region(os, map.size());
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, 310U);
  EXPECT_EQ(receipt->refused, 90U);
  ASSERT_FALSE(receipt->refusals.empty());
  EXPECT_NE(receipt->refusals[0].message().find("the node is full"), std::string::npos);
}

TEST(PlacePages, ServesTheOtherNodesWhenOneHasNoMemory) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
  const PageMap map = cyclic(10, std::vector{NodeId(1), NodeId(5)});
  const Region region = map_region(os, map.size());
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, 5U);
  EXPECT_EQ(receipt->refused, 5U);
  ASSERT_EQ(receipt->refusals.size(), 1U);
  EXPECT_NE(receipt->refusals[0].message().find("5 has no memory"), std::string::npos);
}

TEST(PlacePages, IsAnErrorWhenNoNodeCanBeServed) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  const auto receipt = place_pages(os, region, PageMap(4, NodeId(5)));
  ASSERT_FALSE(receipt);
  EXPECT_FALSE(os.node_of(region.address).has_value());
}

TEST(PlacePages, SaysWhyPagesStayWhereTheyAre) {
  struct Case {
    int errno_value;
    const char* advice;
  };
  for (const Case& wanted : {Case{EBUSY, "using the page"}, Case{EACCES, "share the page"},
                             Case{ENOENT, "not present"}, Case{EFAULT, "not mapped"}}) {
    os::Fake os(four_node_machine());
    const PageMap map = cyclic(300, four_nodes);
    const Region region = map_region(os, map.size());
    os.first_touch(region.address, region.bytes, NodeId(0));
    os.fail_page(page_at(region, 5), wanted.errno_value);
    const auto receipt = place_pages(os, region, map);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->refused, 1U) << "the other pages of the batch must not suffer";
    EXPECT_EQ(receipt->moved, 224U);
    ASSERT_EQ(receipt->refusals.size(), 1U);
    EXPECT_NE(receipt->refusals[0].message().find(wanted.advice), std::string::npos);
  }
}

TEST(PlacePages, KeepsQuietAboutARefusalThatALaterTryMadeGood) {
  os::Fake os(four_node_machine());
  const PageMap map = block(300, four_nodes);
  const Region region = map_region(os, map.size());
  os.first_touch(region.address, region.bytes, NodeId(0));
  os.fail_call("move_pages", 3, EBUSY);  // The first calls are audits, the third is a move.
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_TRUE(os.has_failed());
  EXPECT_EQ(receipt->as_planned, map.size());
  EXPECT_TRUE(receipt->refusals.empty());
}

TEST(PlacePages, WantsOneEntryPerPage) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  const auto receipt = place_pages(os, region, PageMap(3, NodeId(0)));
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::bad_usage);
  EXPECT_TRUE(place_pages(os, {region.address, 0}, {}));
}

TEST(PlacePages, PlacesAMillionPages) {
  os::Fake os(four_node_machine());
  const PageMap map = cyclic(1'000'000, four_nodes);
  const Region region = map_region(os, map.size());
  const auto receipt = place_pages(os, region, map);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->as_planned, map.size());
}

}  // namespace
}  // namespace homenode::actuation
