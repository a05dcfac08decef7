#include "actuation/region.h"

#include <cerrno>

#include "regions.h"

namespace homenode::actuation {
namespace {

using placement::Policy;
using placement::PolicyKind;

TEST(RegionPolicy, RulesThePagesThatComeLater) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  const Policy policy{PolicyKind::interleave, {NodeId(2), NodeId(7)}};
  ASSERT_TRUE(set_region_policy(os, region, policy));
  os.first_touch(region.address, region.bytes, NodeId(0));
  for (std::size_t page = 0; page < 4; ++page) {
    EXPECT_EQ(os.node_of(page_at(region, page)), NodeId(page % 2 == 0 ? 2 : 7));
  }
}

TEST(RegionPolicy, HasAHome) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 2);
  const NodeSet nodes{NodeId(1), NodeId(7)};
  ASSERT_TRUE(set_region_policy(os, region, {PolicyKind::bind, nodes, false, NodeId(7)}));
  os.first_touch(region.address, region.bytes, NodeId(0));
  EXPECT_EQ(os.node_of(page_at(region, 1)), NodeId(7));
}

TEST(RegionPolicy, IsInForceWithoutAHomeThatIsRefused) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
  const Region region = map_region(os, 2);
  const auto nowhere =
      set_region_policy(os, region, {PolicyKind::bind, {NodeId(7)}, false, NodeId(5)});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::bad_usage);
  EXPECT_NE(nowhere.error().message().find("of these nodes, 5 has no memory"), std::string::npos);
  os.fail_call("set_home_node", 1, ENOSYS);
  const auto old = set_region_policy(os, region, {PolicyKind::bind, {NodeId(7)}, false, NodeId(7)});
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::not_supported);
  EXPECT_NE(old.error().message().find("Linux 5.17"), std::string::npos);
  os.first_touch(region.address, region.bytes, NodeId(0));
  EXPECT_EQ(os.node_of(page_at(region, 1)), NodeId(7));
}

TEST(RegionPolicy, WeighsNodesAsTheKernelDoes) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.weights = {{NodeId(7), 2}};
  os::Fake os(machine);
  const Region region = map_region(os, 3);
  ASSERT_TRUE(
      set_region_policy(os, region, {PolicyKind::weighted_interleave, {NodeId(7), NodeId(2)}}));
  os.first_touch(region.address, region.bytes, NodeId(0));
  for (std::size_t page = 0; page < 3; ++page) {
    const std::size_t number =
        reinterpret_cast<std::uintptr_t>(page_at(region, page)) / os::fake_page_bytes;
    EXPECT_EQ(os.node_of(page_at(region, page)), NodeId(number % 3 == 0 ? 2 : 7));
  }
}

TEST(RegionPolicy, SaysWhatToDoWhenMappingsRunOut) {
  os::FakeMachine machine = four_node_machine();
  machine.memory.max_mappings = 2;
  os::Fake os(machine);
  const Region region = map_region(os, 4);
  const auto result = set_region_policy(os, region, {PolicyKind::bind, {NodeId(1)}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().errno_value, ENOMEM);
  EXPECT_NE(result.error().next.find("vm.max_map_count"), std::string::npos);
}

TEST(RegionPolicy, RefusesARangeThatIsNotMapped) {
  os::Fake os(four_node_machine());
  Region region = map_region(os, 2);
  ASSERT_EQ(os.unmap_memory(region.address, region.bytes), 0);
  const auto result = set_region_policy(os, region, {PolicyKind::local, {}});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().next.find("not mapped"), std::string::npos);
}

TEST(RegionPolicy, OfNothingIsDoneWithoutACall) {
  os::Fake os(four_node_machine());
  EXPECT_TRUE(set_region_policy(os, {}, {PolicyKind::local, {}}));
  EXPECT_TRUE(os.calls().empty());
}

}  // namespace
}  // namespace homenode::actuation
