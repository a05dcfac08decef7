// Free memory goes back to the system as the clock goes on, and never more than a share is kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fake_system.h"
#include "heap/arena.h"
#include "heap/blocks.h"
#include "heap/process.h"
#include "heap/purge.h"
#include "heap/statistics.h"

namespace homenode::heap {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t always_kept = 32 * mebibyte;  // See keep_bounded().

std::uint64_t clock_ms = 1'000'000;

void pass(std::uint64_t milliseconds) {
  clock_ms += milliseconds;
  fake::set_milliseconds(clock_ms);
}

/// So much, touched, in blocks of a size; then all of it freed.
void use(std::size_t bytes, std::size_t block_bytes) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < bytes / block_bytes; ++i) {
    blocks.push_back(allocate(block_bytes));
    ASSERT_NE(blocks.back(), nullptr);
    *static_cast<char*>(blocks.back()) = 1;
  }
  for (void* const block : blocks) release(block);
}

/// The life of a program that hardly needs memory any more: a free now and then.
void live_on() {
  release(allocate(300'000));
}

TEST(Purge, GivesBackWhatHasBeenFreeForTwoTicks) {
  fake::refuse({});
  pass(1);
  use(40 * mebibyte, 200'000);
  EXPECT_GT(count_all().kept_bytes, 20 * mebibyte) << "for a while it is kept";
  const std::size_t before = fake::discarded_bytes();
  pass(499);
  live_on();
  EXPECT_EQ(fake::discarded_bytes(), before) << "not before its time";
  pass(501);
  live_on();
  pass(501);
  live_on();
  EXPECT_LT(count_all().kept_bytes, 2 * mebibyte);
  EXPECT_GT(fake::discarded_bytes(), before + 20 * mebibyte);
}

TEST(Purge, SmallBlocksGoBackToo) {
  pass(10'000);
  use(40 * mebibyte, 256);
  for (int i = 0; i < 4; ++i) {
    pass(501);
    live_on();
  }
  EXPECT_LT(count_all().kept_bytes, 4 * mebibyte);
}

TEST(Purge, ServesNodesOnWhichNobodyRunsAnyMore) {
  CoreHeap* const other = heap_of_cpu(8191);
  ASSERT_NE(other, nullptr);
  ASSERT_NE(other->arena, heap_of_cpu(0)->arena);
  bool zeroed = false;
  Page* const page = take_slices(*other, Kind::large, 200, 1, zeroed);
  ASSERT_NE(page, nullptr);
  free_slices(*page);
  ASSERT_EQ(count(*other->arena).kept_bytes, 200 * slice_bytes);
  for (int i = 0; i < 3; ++i) {
    pass(501);
    live_on();
  }
  EXPECT_EQ(count(*other->arena).kept_bytes, 0U);
}

TEST(Purge, NeverKeepsMoreThanAShareHoweverShortTheTime) {
  std::size_t most = 0;
  for (int round = 0; round < 6; ++round) {
    use(100 * mebibyte, round % 2 == 0 ? 200'000 : 1'000'000);
    const Totals totals = count_all();
    most = std::max(most, totals.committed_bytes);
    EXPECT_LE(totals.committed_bytes, totals.peak_bytes + totals.peak_bytes / 2 + always_kept);
  }
  EXPECT_LT(most, 100 * mebibyte * 3 / 2 + always_kept);
}

TEST(Purge, MoreCanBeKeptOrEverything) {
  pass(10'000);
  keep_free(-1);
  const std::size_t before = fake::discarded_bytes();
  use(400 * mebibyte, 1'000'000);
  for (int i = 0; i < 4; ++i) {
    pass(10'000);
    live_on();
  }
  EXPECT_EQ(fake::discarded_bytes(), before);
  keep_free(0);  // As usual.
  for (int i = 0; i < 3; ++i) {
    pass(501);
    live_on();
  }
  EXPECT_GT(fake::discarded_bytes(), before + 300 * mebibyte);
}

TEST(Purge, AnotherTimeCanBeAskedFor) {
  const std::uint64_t usual_ms = purge_ms;
  purge_ms = 5000;
  pass(10'000);
  live_on();
  use(20 * mebibyte, 200'000);
  const std::size_t before = fake::discarded_bytes();
  for (int i = 0; i < 3; ++i) {
    pass(1501);
    live_on();
  }
  EXPECT_EQ(fake::discarded_bytes(), before) << "three ticks of the usual time are none of this";
  for (int i = 0; i < 2; ++i) {
    pass(5001);
    live_on();
  }
  EXPECT_GT(fake::discarded_bytes(), before);
  purge_ms = usual_ms;
}

}  // namespace
}  // namespace homenode::heap
