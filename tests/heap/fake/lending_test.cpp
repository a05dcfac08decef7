// Where a node has no memory left and the kernel gives none, blocks come from what is free on
// another one, and from home again as soon as there is some. All threads of the fake run on node 0.
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "fake_system.h"
#include "heap/blocks.h"
#include "heap/process.h"
#include "heap/statistics.h"
#include "support/sanitized.h"

namespace homenode::heap {
namespace {

constexpr unsigned cpu_of_node_1 = 8191;

void release_all(std::vector<void*>& blocks) {
  for (void* const block : blocks) release(block);
  blocks.clear();
}

/// Free memory of node 1: what was once used there.
void leave_room_on_node_1() {
  start_process();
  ASSERT_FALSE(is_uniform());
  std::vector<void*> blocks;
  bool zeroed = false;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(allocate_large(*heap_of_cpu(cpu_of_node_1), 2'000'000, granule_bytes, zeroed));
    ASSERT_NE(blocks.back(), nullptr);
  }
  release_all(blocks);
}

/// By the node that they are of, until there is no more.
struct Taken {
  std::vector<void*> here;
  std::vector<void*> there;
};
Taken take_all(std::size_t bytes) {
  Taken taken;
  errno = 0;
  while (void* const block = allocate(bytes)) {
    *static_cast<char*>(block) = 1;
    (arena_of_block(block)->node == 0 ? taken.here : taken.there).push_back(block);
  }
  EXPECT_EQ(errno, ENOMEM);
  return taken;
}

class LendingOf : public testing::TestWithParam<std::size_t> {};

TEST_P(LendingOf, LastsAsLongAsThereIsRoom) {
  fake::refuse({});
  leave_room_on_node_1();
  release(allocate(GetParam()));  // Home has some room, too.
  const std::uint64_t before = count(*known_arena(1)).lent_blocks;
  fake::refuse({fake::Call::map, 1, ~0U, ENOMEM});
  Taken taken = take_all(GetParam());
  const std::size_t lent = taken.there.size();
  EXPECT_GT(lent * GetParam(), 8'000'000) << "much of the room was used";
  EXPECT_EQ(count(*known_arena(1)).lent_blocks, before + lent);

  release_all(taken.there);  // It can be had again, the same bytes and not more of them.
  Taken again = take_all(GetParam());
  EXPECT_EQ(again.there.size(), lent);

  release(taken.here.back());
  taken.here.back() = allocate(GetParam());
  EXPECT_EQ(arena_of_block(taken.here.back())->node, 0U) << "home comes first";
  fake::refuse({});
  void* const fresh = allocate(GetParam());
  EXPECT_EQ(arena_of_block(fresh)->node, 0U);

  release(fresh);
  release_all(taken.here);
  release_all(again.here);
  release_all(again.there);
  send_parcels(*self);
  EXPECT_EQ(count(*known_arena(1)).live_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LendingOf,
                         testing::Values(sanitized ? 1000 : 100, 5000, 40'000, 200'000),
                         testing::PrintToStringParamName());

TEST(Lending, HasNoHugeBlocks) {
  fake::refuse({});
  leave_room_on_node_1();
  fake::refuse({fake::Call::map, 1, ~0U, ENOMEM});
  EXPECT_EQ(allocate(std::size_t{40} << 20), nullptr);
  fake::refuse({});
}

}  // namespace
}  // namespace homenode::heap
