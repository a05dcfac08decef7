// The C interface on four nodes, one of which is far from the others in number: where pages land.
#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "fake_kernel.h"
#include "text.h"

namespace homenode::capi_tests {
namespace {

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

TEST(FourNodes, ANameIsTheKernelsWhereItKeepsNames) {
  FakeKernel kernel;
  const Region region = allocate(2, nullptr);
  EXPECT_EQ(hn_region_name(region.get(), "grid of u", nullptr), HN_OK);
  EXPECT_EQ(kernel->name_of(hn_region_address(region.get())), "homenode region grid of u");
  kernel->fail_call("name_memory", 1, EINVAL);
  EXPECT_EQ(hn_region_name(region.get(), "other", nullptr), HN_OK);
  EXPECT_TRUE(kernel->has_failed());
}

TEST(FourNodes, OnlyTheWholePagesOfAdoptedMemoryAreNamed) {
  FakeKernel kernel;
  const Region whole = allocate(4, nullptr);
  auto* const first = static_cast<char*>(hn_region_address(whole.get()));
  hn_region* part = nullptr;
  ASSERT_EQ(hn_region_adopt(first + 1, 3 * page, &part, nullptr), HN_OK);
  EXPECT_EQ(hn_region_name(part, "part", nullptr), HN_OK);
  EXPECT_EQ(kernel->name_of(first), "");
  EXPECT_EQ(kernel->name_of(first + page), "homenode region part");
  hn_region_free(part);
  ASSERT_EQ(hn_region_adopt(first + 1, page, &part, nullptr), HN_OK);
  EXPECT_EQ(hn_region_name(part, "small", nullptr), HN_OK);
  EXPECT_EQ(kernel->count("name_memory"), 1U);
  hn_region_free(part);
}

TEST(FourNodes, ANameThatTheKernelWouldNotTakeIsBadUsage) {
  FakeKernel kernel;
  const Region region = allocate(1, nullptr);
  const std::string longest(63, 'x');
  EXPECT_EQ(hn_region_name(region.get(), longest.c_str(), nullptr), HN_OK);
  for (const std::string& name : {std::string(), longest + "x", std::string("a[0]"),
                                  std::string("a$b"), std::string("a\nb"), std::string("gr\xc3")}) {
    char* error = nullptr;
    EXPECT_EQ(hn_region_name(region.get(), name.c_str(), &error), HN_BAD_USAGE) << name;
    EXPECT_NE(take(error).find("1 to 63 printable"), std::string::npos);
  }
  EXPECT_EQ(hn_region_name(region.get(), nullptr, nullptr), HN_BAD_USAGE);
  EXPECT_EQ(hn_region_name(nullptr, "x", nullptr), HN_BAD_USAGE);
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

/// Two nodes of two CPUs each: threads 0 and 1 are on node 0.
struct TwoNodes {
  TwoNodes() {
    EXPECT_EQ(hn_machine_load("synthetic:numa:2 core:2 pu:1", &machine, nullptr), HN_OK);
  }
  TwoNodes(const TwoNodes&) = delete;
  TwoNodes& operator=(const TwoNodes&) = delete;
  ~TwoNodes() { hn_machine_free(machine); }
  hn_machine* machine = nullptr;
};

TEST(StrategyApply, PlacesEachArrayForItsUsers) {
  FakeKernel kernel;
  const TwoNodes two;
  const Region shared = allocate(4, nullptr);
  const Region own = allocate(4, nullptr);
  const std::vector<std::size_t> users{3};
  const hn_user_array arrays[] = {{shared.get(), nullptr, 0}, {own.get(), users.data(), 1}};
  const auto apply = [&](const char* name) {
    char* threads = nullptr;
    char* error = nullptr;
    const int status = hn_strategy_apply(name, two.machine, 4, arrays, 2, &threads, &error);
    EXPECT_EQ(status, HN_OK) << take(error);
    EXPECT_EQ(take(threads), "0,1,2,3");
  };
  apply("first-touch");
  EXPECT_EQ(nodes_of(shared), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(nodes_of(own), (std::vector<int>{0, 0, 0, 0}));
  apply("parallel-init");
  EXPECT_EQ(nodes_of(shared), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(nodes_of(own), (std::vector<int>{1, 1, 1, 1}));
  apply("round-robin");
  EXPECT_EQ(nodes_of(own), (std::vector<int>{0, 1, 0, 1}));
  apply("memory-bind");
  EXPECT_EQ(nodes_of(own), (std::vector<int>{1, 1, 1, 1}));
}

TEST(StrategyApply, SaysInOneLineWhatIsWrong) {
  FakeKernel kernel;
  const TwoNodes two;
  const Region region = allocate(4, nullptr);
  const std::vector<std::size_t> stranger{9};
  const hn_user_array good{region.get(), nullptr, 0};
  const hn_user_array used_by_nobody{region.get(), stranger.data(), 1};
  const hn_user_array without_region{nullptr, nullptr, 0};
  const hn_user_array without_users{region.get(), nullptr, 1};
  const auto refused = [&](const char* name, std::size_t threads, const hn_user_array* array) {
    char* error = nullptr;
    EXPECT_EQ(hn_strategy_apply(name, two.machine, threads, array, 1, nullptr, &error),
              HN_BAD_USAGE);
    EXPECT_TRUE(is_one_line(take(error)));
  };
  refused(nullptr, 4, &good);
  refused("nonsense", 4, &good);
  refused("round-robin", 0, &good);
  refused("round-robin", 4, nullptr);
  refused("round-robin", 4, &used_by_nobody);
  refused("round-robin", 4, &without_region);
  refused("round-robin", 4, &without_users);
}

TEST(StrategyApply, TellsWhatCouldNotBeMovedAfterAllIsDone) {
  FakeKernel kernel;
  const TwoNodes two;
  const Region first = allocate(2, nullptr);
  const Region second = allocate(2, nullptr);
  auto* const stuck = static_cast<char*>(hn_region_address(first.get())) + page;
  kernel->first_touch(stuck, page, NodeId(2));
  kernel->fail_page(stuck, EBUSY);
  const hn_user_array arrays[] = {{first.get(), nullptr, 0}, {second.get(), nullptr, 0}};
  char* error = nullptr;
  EXPECT_EQ(hn_strategy_apply("round-robin", two.machine, 4, arrays, 2, nullptr, &error),
            HN_INCOMPLETE);
  EXPECT_TRUE(take(error).starts_with("1 of 2 pages"));
  EXPECT_EQ(nodes_of(second), (std::vector<int>{0, 1}));
}

TEST(FourNodes, RulesKeepToTheNodesThatTheProcessMayUse) {
  FakeKernel kernel;
  kernel->set_file("/proc/self/status", "Name:\tprogram\nMems_allowed_list:\t1-2\n");
  EXPECT_EQ(nodes_of(allocate(4, "cyclic")), (std::vector<int>{1, 2, 1, 2}));
}

}  // namespace
}  // namespace homenode::capi_tests
