#include "model/layout.h"

#include <gtest/gtest.h>

#include "model/machines.h"

namespace homenode::model {
namespace {

using placement::PageMap;
using placement::Placement;
using placement::Policy;
using placement::PolicyKind;

Program two_threads() {
  return {.node_of_thread = {node0, node4}, .computing_s = {}, .objects = {one_mebibyte(2, true)}};
}

Result<Layout> laid_out(const Program& program, const Placement& placement) {
  const machine::Machine machine = three_nodes();
  return lay_out(machine, *rates_of(machine), program, placement);
}

Placement with_memory(Policy policy) {
  Placement placement;
  placement.process_memory = std::move(policy);
  return placement;
}

/// Where the four blocks of the array lie.
std::vector<NodeShares> homes(const Placement& placement) {
  return laid_out(two_threads(), placement)->homes.front();
}

const NodeShares on0{1, 0, 0};
const NodeShares on4{0, 1, 0};
const NodeShares on7{0, 0, 1};

TEST(LayOut, WithoutRulesFollowsTheFirstUser) {
  EXPECT_EQ(homes({}), (std::vector{on0, on0, on4, on4}));
}

TEST(LayOut, MovesFirstTouchWithTheThreads) {
  Placement swapped;
  swapped.threads = placement::ThreadMap{{CpuSet{CpuId(2)}, CpuSet{CpuId(1)}}};
  const auto layout = laid_out(two_threads(), swapped);
  EXPECT_EQ(layout->node_of_thread, (std::vector{node4, node0}));
  EXPECT_EQ(layout->homes.front(), (std::vector{on4, on4, on0, on0}));
}

TEST(LayOut, LeavesMemoryWhereItWasFoundUntilItsFirstUserMoves) {
  Program program = two_threads();
  program.objects.front().homes = {node7, node7, node7, node7};
  EXPECT_EQ(laid_out(program, {})->homes.front(), (std::vector{on7, on7, on7, on7}));
  Placement moved;  // The first thread alone.
  moved.threads = placement::ThreadMap{{CpuSet{CpuId(2)}, CpuSet{CpuId(3)}}};
  EXPECT_EQ(laid_out(program, moved)->homes.front(), (std::vector{on4, on4, on7, on7}));
}

TEST(LayOut, LeavesAThreadWhereItWasSeenIfItMayStay) {
  Placement anywhere;
  anywhere.process_cpus = three_nodes().cpus();
  EXPECT_EQ(laid_out(two_threads(), anywhere)->node_of_thread, (std::vector{node0, node4}));
}

TEST(LayOut, InterleavesPageByPage) {
  const auto blocks = homes(with_memory({PolicyKind::interleave, {node0, node7}}));
  EXPECT_EQ(blocks, (std::vector(4, NodeShares{0.5, 0, 0.5})));
}

TEST(LayOut, BindsToTheNearestOfTheNodes) {
  EXPECT_EQ(homes(with_memory({PolicyKind::bind, {node4, node7}})),
            (std::vector{on4, on4, on4, on4}));
  EXPECT_EQ(homes(with_memory({PolicyKind::preferred, {node7}})),
            (std::vector{on7, on7, on7, on7}));
}

TEST(LayOut, TakesARegionsMapBeforeTheProcesssPolicy) {
  Placement placement = with_memory({PolicyKind::bind, {node7}});
  PageMap map(256, node0);
  for (std::size_t page = 128; page < 160; ++page) map[page] = node4;
  placement.regions = {{"array", map}, {"another", Policy{PolicyKind::bind, {node4}}}};
  EXPECT_EQ(homes(placement), (std::vector{on0, on0, NodeShares{0.5, 0.5, 0}, on0}));
}

TEST(LayOut, LeavesMemoryWhereItWasFoundIfNobodyKnowsWhoTouchedItFirst) {
  Program program = two_threads();
  program.objects.front().first_users.clear();
  program.objects.front().homes = {node7, node7, node0, node4};
  EXPECT_EQ(laid_out(program, {})->homes.front(), (std::vector{on7, on7, on0, on4}));
}

TEST(LayOut, RefusesWhatItCannotKnowOrDo) {
  Program program = two_threads();
  EXPECT_EQ(laid_out(program, with_memory({PolicyKind::bind, {NodeId(3)}})).error().code,
            ErrorCode::bad_usage);
  EXPECT_EQ(laid_out(program, with_memory({PolicyKind::weighted_interleave, {node0}})).error().code,
            ErrorCode::not_supported);
  Placement short_map;
  short_map.regions = {{"array", PageMap(10, node0)}};
  EXPECT_EQ(laid_out(program, short_map).error().code, ErrorCode::bad_usage);
  program.objects.front().first_users.clear();
  EXPECT_EQ(laid_out(program, {}).error().code, ErrorCode::bad_usage);
}

}  // namespace
}  // namespace homenode::model
