#include "placement/placement.h"

#include <gtest/gtest.h>

namespace homenode::placement {
namespace {

Placement good() {
  return {
      .process_cpus = CpuSet{CpuId(0), CpuId(1)},
      .threads = ThreadMap{{CpuSet{CpuId(0)}, CpuSet{CpuId(1)}}},
      .process_memory = Policy{.kind = PolicyKind::interleave, .nodes = {NodeId(0)}},
      .regions = {
          {"mapped", PageMap{NodeId(0), NodeId(70)}},
          {"bound", Policy{.kind = PolicyKind::bind, .nodes = {NodeId(1)}, .home_node = NodeId(0)}},
      }};
}

TEST(Placement, IsValidWhereNothingOrAllIsGiven) {
  EXPECT_TRUE(is_valid(Placement{}));
  EXPECT_TRUE(is_valid(good()));
  Placement no_pages = good();
  no_pages.regions[0].memory = PageMap{};
  EXPECT_TRUE(is_valid(no_pages)) << "an array of no bytes";
}

TEST(Placement, IsInvalidWhereAnEmptySetWouldBindToNothing) {
  Placement process = good();
  process.process_cpus = CpuSet{};
  EXPECT_FALSE(is_valid(process));
  Placement no_ranks = good();
  no_ranks.threads = ThreadMap{};
  EXPECT_FALSE(is_valid(no_ranks)) << "a rank is looked up by its remainder";
  Placement rank = good();
  rank.threads->cpus_by_rank[1] = {};
  EXPECT_FALSE(is_valid(rank));
}

TEST(Placement, IsInvalidWhereAPolicyIs) {
  Placement without_nodes = good();
  without_nodes.process_memory->nodes = {};
  EXPECT_FALSE(is_valid(without_nodes));
  Placement home = good();
  home.process_memory = std::get<Policy>(home.regions[1].memory);
  EXPECT_FALSE(is_valid(home)) << "only an address range has a home node";
  Placement region = good();
  region.regions[1].memory = Policy{.kind = PolicyKind::local, .nodes = {NodeId(0)}};
  EXPECT_FALSE(is_valid(region));
}

TEST(Placement, IsInvalidWhereRegionsCannotBeToldApart) {
  Placement unnamed = good();
  unnamed.regions[0].region.clear();
  EXPECT_FALSE(is_valid(unnamed));
  Placement twice = good();
  twice.regions[1].region = "mapped";
  EXPECT_FALSE(is_valid(twice));
}

}  // namespace
}  // namespace homenode::placement
