#include "lab/plugin/node_map.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// 6 GiB as QEMU lays them out around the hole below 4 GiB; node 4 is split, ids have gaps.
const std::vector<NodeRange> around_the_hole = {{NodeId(4), 1 * gib, gib},
                                                {NodeId(0), 0, gib},
                                                {NodeId(4), 4 * gib, 2 * gib},
                                                {NodeId(9), 6 * gib, 2 * gib}};

TEST(NodeMap, ListsEachNodeOnceInOrder) {
  const NodeMap map(around_the_hole, AddressForm::guest_physical);
  EXPECT_EQ(map.nodes(), (std::vector{NodeId(0), NodeId(4), NodeId(9)}));
}

TEST(NodeMap, FindsGuestPhysicalAddresses) {
  const NodeMap map(around_the_hole, AddressForm::guest_physical);
  EXPECT_EQ(map.index_of(0), 0U);
  EXPECT_EQ(map.index_of(gib - 1), 0U);
  EXPECT_EQ(map.index_of(gib), 1U);
  EXPECT_EQ(map.index_of(2 * gib - 1), 1U);
  EXPECT_EQ(map.index_of(2 * gib), std::nullopt);
  EXPECT_EQ(map.index_of(4 * gib - 1), std::nullopt);
  EXPECT_EQ(map.index_of(4 * gib), 1U);
  EXPECT_EQ(map.index_of(6 * gib), 2U);
  EXPECT_EQ(map.index_of(8 * gib - 1), 2U);
  EXPECT_EQ(map.index_of(8 * gib), std::nullopt);
}

TEST(NodeMap, FindsAddressesThatCountABlocksStartTwice) {
  // Node 0 starts at RAM offset 0, node 4 at 1 GiB (3 GiB long), node 9 at 4 GiB.
  const NodeMap map(around_the_hole, AddressForm::ram_block);
  EXPECT_EQ(map.index_of(0), 0U);
  EXPECT_EQ(map.index_of(gib), std::nullopt);
  EXPECT_EQ(map.index_of(2 * gib), 1U);
  EXPECT_EQ(map.index_of(5 * gib - 1), 1U);
  EXPECT_EQ(map.index_of(5 * gib), std::nullopt);
  EXPECT_EQ(map.index_of(8 * gib), 2U);
  EXPECT_EQ(map.index_of(10 * gib), std::nullopt);
}

}  // namespace
}  // namespace homenode::lab
