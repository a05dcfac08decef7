// The C interface on four nodes, one of which is far from the others in number: where pages land.
#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fake_kernel.h"
#include "text.h"

namespace homenode::capi_tests {
namespace {

constexpr std::size_t page = os::fake_page_bytes;
using Region = std::unique_ptr<hn_region, decltype(&hn_region_free)>;

Region allocate(std::size_t pages, const char* rule) {
  hn_region* region = nullptr;
  char* error = nullptr;
  EXPECT_EQ(hn_region_allocate(pages * page, rule, &region, &error), HN_OK) << take(error);
  return {region, &hn_region_free};
}

std::vector<int> nodes_of(const Region& region) {
  std::vector<int> nodes(hn_region_pages(region.get()));
  EXPECT_EQ(hn_region_audit(region.get(), nodes.data(), nodes.size(), nullptr, nullptr), HN_OK);
  return nodes;
}

void place(const Region& region, const char* rule) {
  char* error = nullptr;
  EXPECT_EQ(hn_region_place(region.get(), rule, &error), HN_OK) << take(error);
}

TEST(FourNodes, ADistributionLandsPageForPage) {
  FakeKernel kernel;
  EXPECT_EQ(nodes_of(allocate(6, "cyclic")), (std::vector<int>{0, 1, 2, 7, 0, 1}));
  EXPECT_EQ(nodes_of(allocate(4, "cyclic@7,1")), (std::vector<int>{1, 7, 1, 7}));
  EXPECT_EQ(nodes_of(allocate(4, "block@2,7")), (std::vector<int>{2, 2, 7, 7}));
}

TEST(FourNodes, APlacementAtRunTimeMovesThePages) {
  FakeKernel kernel;
  const Region region = allocate(8, "bind@2");
  kernel->first_touch(hn_region_address(region.get()), 8 * page, NodeId(0));
  EXPECT_EQ(nodes_of(region), std::vector<int>(8, 2));
  place(region, "cyclic");
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 1, 2, 7, 0, 1, 2, 7}));
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.pages_moved, 6U);
  place(region, "bind@7");
  EXPECT_EQ(nodes_of(region), std::vector<int>(8, 7));
}

TEST(FourNodes, ADistributionTakesAnEarlierPolicyAway) {
  FakeKernel kernel;
  const Region region = allocate(4, "bind@7");
  place(region, "block@0-1");
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 0, 1, 1}));
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.pages_moved, 0U);  // They came in where they belong.
}

TEST(FourNodes, ArraysAreCutByTheirShape) {
  FakeKernel kernel;
  const Region region = allocate(8, nullptr);
  hn_array array{{8, page, 1, 1}, 1, 2, HN_ORDER_C};
  ASSERT_EQ(hn_region_place_array(region.get(), &array, "rows", nullptr), HN_OK);
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 0, 1, 1, 2, 2, 7, 7}));
  ASSERT_EQ(hn_region_place_array(region.get(), &array, "rows:1@0,7", nullptr), HN_OK);
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 7, 0, 7, 0, 7, 0, 7}));
  array = {{page, 8, 1, 1}, 1, 2, HN_ORDER_FORTRAN};
  ASSERT_EQ(hn_region_place_array(region.get(), &array, "columns", nullptr), HN_OK);
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 0, 1, 1, 2, 2, 7, 7}));
}

TEST(FourNodes, PagesThatCannotMoveAreToldAndTheRestIsDone) {
  FakeKernel kernel;
  const Region region = allocate(4, nullptr);
  auto* const first = static_cast<char*>(hn_region_address(region.get()));
  kernel->first_touch(first, 4 * page, NodeId(0));
  kernel->fail_page(first + page, EBUSY);
  char* error = nullptr;
  EXPECT_EQ(hn_region_place(region.get(), "cyclic", &error), HN_INCOMPLETE);
  const std::string message = take(error);
  EXPECT_TRUE(is_one_line(message));
  EXPECT_TRUE(message.starts_with("1 of 4 pages")) << message;
  EXPECT_EQ(nodes_of(region), (std::vector<int>{0, 0, 2, 7}));
  hn_statistics statistics;
  hn_region_statistics(region.get(), &statistics);
  EXPECT_EQ(statistics.pages_as_planned, 3U);
  EXPECT_EQ(statistics.pages_refused, 1U);
}

TEST(FourNodes, RulesKeepToTheNodesThatTheProcessMayUse) {
  FakeKernel kernel;
  kernel->set_file("/proc/self/status", "Name:\tprogram\nMems_allowed_list:\t1-2\n");
  EXPECT_EQ(nodes_of(allocate(4, "cyclic")), (std::vector<int>{1, 2, 1, 2}));
}

}  // namespace
}  // namespace homenode::capi_tests
