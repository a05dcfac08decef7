#include "actuation/audit.h"

#include <cerrno>

#include "regions.h"

namespace homenode::actuation {
namespace {

TEST(Audit, CountsThePagesOfEachNodeAndThoseOfNone) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 40000);
  os.first_touch(page_at(region, 0), 3 * os::fake_page_bytes, NodeId(7));
  os.first_touch(page_at(region, 39999), os::fake_page_bytes, NodeId(1));
  const auto found = audit(os, region);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node_of_page.size(), 40000U);
  EXPECT_EQ(found->node_of_page[0], NodeId(7));
  EXPECT_EQ(found->node_of_page[3], std::nullopt);
  EXPECT_EQ(found->node_of_page[39999], NodeId(1));
  EXPECT_EQ(found->pages_on_node, (std::map<NodeId, std::size_t>{{NodeId(1), 1}, {NodeId(7), 3}}));
  EXPECT_EQ(found->reasons, (std::map<PageReason, std::size_t>{{PageReason::not_present, 39996}}));
}

TEST(Audit, AsksInBatchesNotPageByPage) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 40000);
  ASSERT_TRUE(audit(os, region));
  EXPECT_LE(os.count("move_pages"), 4U);
}

TEST(Audit, TellsAPageThatIsNotMappedFromTheSharedPageOfZeros) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  ASSERT_EQ(os.unmap_memory(page_at(region, 2), 2 * os::fake_page_bytes), 0);
  auto found = audit(os, region);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->reasons.at(PageReason::unmapped), 2U);
  os.set_file("/proc/77/maps", "0-ffffffffffffffff rw-p 00000000 00:00 0\n");
  found = audit(os, region, 77);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->reasons.at(PageReason::zero_page), 2U);
}

TEST(Audit, CountsAPartOfAPageAsAPage) {
  os::Fake os(four_node_machine());
  Region region = map_region(os, 2);
  region.bytes -= 1;
  EXPECT_EQ(audit(os, region)->node_of_page.size(), 2U);
}

TEST(Audit, NamesTheProcessThatCannotBeAsked) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 2);
  os.fail_call("move_pages", 1, ESRCH);
  const auto found = audit(os, region, 77);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("process 77"), std::string::npos);
}

}  // namespace
}  // namespace homenode::actuation
