#include "sensing/sources/node_lookup.h"

#include <gtest/gtest.h>

namespace homenode::sensing {
namespace {

constexpr const char* zones =
    "Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 3\n  pages free     3840\n"
    "        spanned  4095\n        present  3998\n  start_pfn:           1\n"
    "Node 0, zone   Normal\n  pages free 12\n        spanned  0\n  start_pfn:           0\n"
    "Node 2, zone    DMA32\n        spanned  1000\n        managed  7\n  start_pfn:           "
    "4096\n";

machine::Machine two_nodes() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1)}, {}, {}}, {NodeId(2), {CpuId(5)}, {}, {}}};
  return machine;
}

TEST(NodeLookup, ZonesSayToThePageWhereNodesBegin) {
  const NodeLookup nodes(two_nodes(), parse_zones(zones, 4096));
  EXPECT_EQ(nodes.of_physical(4096), 0);
  EXPECT_EQ(nodes.of_physical(4096 * 4096 - 1), 0);
  EXPECT_EQ(nodes.of_physical(4096 * 4096), 2);
  EXPECT_EQ(nodes.of_physical(std::uint64_t{5096} * 4096), unknown_sample_id);
  EXPECT_EQ(nodes.of_physical(0), unknown_sample_id);
}

TEST(NodeLookup, MemoryThatTwoNodesSpanHasNoNode) {
  const NodeLookup nodes(two_nodes(), {{4096, 90000, 0}, {8192, 12288, 2}});
  EXPECT_EQ(nodes.of_physical(4096), 0);
  EXPECT_EQ(nodes.of_physical(8192), unknown_sample_id);
}

TEST(NodeLookup, CpusMayBeSparse) {
  const NodeLookup nodes(two_nodes(), {});
  EXPECT_EQ(nodes.of_cpu(1), 0);
  EXPECT_EQ(nodes.of_cpu(5), 2);
  EXPECT_EQ(nodes.of_cpu(4), unknown_sample_id);
  EXPECT_EQ(nodes.of_cpu(99), unknown_sample_id);
  EXPECT_EQ(nodes.cpus(), (std::vector<unsigned>{0, 1, 5}));
}

TEST(NodeLookup, TextOfAnotherFormGivesNothing) {
  EXPECT_TRUE(parse_zones("", 4096).empty());
  EXPECT_TRUE(parse_zones("Node x, zone\n spanned 3\n start_pfn: 4\n", 4096).empty());
  EXPECT_TRUE(parse_zones("Node 0, zone DMA\n spanned -3\n start_pfn: x\n", 4096).empty());
}

}  // namespace
}  // namespace homenode::sensing
