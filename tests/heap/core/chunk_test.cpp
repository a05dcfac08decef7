#include "heap/chunk.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "heap/core_heap.h"
#include "heap/process.h"

namespace homenode::heap {
namespace {

/// A chunk's description without its memory.
struct Bare {
  std::unique_ptr<Chunk> chunk = std::make_unique<Chunk>();
  std::vector<bool> free;

  explicit Bare(unsigned slices) : free(slices) {
    chunk->slices = slices;
    chunk->hint = first_slice;
  }
  void set(unsigned first, unsigned count, bool value) {
    chunk->free.set(first, count, value);
    for (unsigned i = first; i < first + count; ++i) free[i] = value;
  }
  [[nodiscard]] unsigned run_around(unsigned first, unsigned count) const {
    unsigned end = first + count;
    while (end < free.size() && free[end]) ++end;
    while (first > 0 && free[first - 1]) --first;
    return end - first;
  }
  [[nodiscard]] unsigned longest_run() const {
    unsigned longest = 0;
    unsigned length = 0;
    for (const bool one : free) {
      length = one ? length + 1 : 0;
      longest = std::max(longest, length);
    }
    return longest;
  }
  /// By its definition: the tightest run, the first of those.
  [[nodiscard]] unsigned expected(unsigned count, unsigned alignment) const {
    unsigned best = 0;
    unsigned best_length = ~0U;
    for (unsigned i = first_slice; i < free.size();) {
      unsigned end = i;
      while (end < free.size() && free[end]) ++end;
      const unsigned start = (i + alignment - 1) / alignment * alignment;
      if (end > i && start + count <= end && end - i < best_length && (count > 1 || best == 0)) {
        best = start;
        best_length = end - i;
      }
      i = end + 1;
    }
    return best;
  }
};

TEST(Chunk, FindsTheTightestRunOfRandomSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Bare bare(std::uniform_int_distribution(20U, chunk_slices)(random));
    const auto size = static_cast<unsigned>(bare.free.size());
    for (int i = 0; i < 40; ++i) {
      const unsigned first = std::uniform_int_distribution(first_slice, size - 1)(random);
      const unsigned most = std::min(90U, size - first);
      const unsigned count = std::uniform_int_distribution(1U, most)(random);
      bare.set(first, count, random() % 3 != 0);
      ASSERT_EQ(bare.chunk->free.any(first, count), static_cast<bool>(bare.free[first]));
      ASSERT_EQ(bare.chunk->free.run_around(first, count, size), bare.run_around(first, count));
    }
    ASSERT_EQ(bare.chunk->longest_run(), bare.longest_run());
    for (const unsigned count : {1U, 2U, 7U, 64U, 65U, 130U}) {
      for (const unsigned alignment : {1U, 2U, 16U, 64U}) {
        ASSERT_EQ(bare.chunk->find(count, alignment), bare.expected(count, alignment))
            << "round " << round << ", " << count << " at " << alignment;
      }
    }
  }
}

TEST(Chunk, IsValidWhileItsCountsAreThoseOfItsSets) {
  Arena arena{};
  Bare bare(100);
  Chunk& chunk = *bare.chunk;
  EXPECT_FALSE(chunk.is_valid()) << "of no arena";
  chunk.arena = &arena;
  bare.set(20, 30, true);
  EXPECT_FALSE(chunk.is_valid()) << "free slices that are not counted";
  chunk.free_count = 30;
  EXPECT_TRUE(chunk.is_valid());
  chunk.hint = 21;
  EXPECT_FALSE(chunk.is_valid()) << "a free slice before the hint";
  chunk.hint = 20;
  EXPECT_TRUE(chunk.is_valid());
  chunk.slices = 49;
  EXPECT_FALSE(chunk.is_valid()) << "a free slice behind its end";
}

TEST(Page, IsValidAsItsClassWantsIt) {
  start_process();
  bool zeroed = false;
  Page& page = *take_slices(*heap_of_cpu(0), Kind::small, 1, 1, zeroed);
  EXPECT_TRUE(page.is_valid()) << "not set up yet";
  set_up(page, compute_class(100), 0);
  EXPECT_TRUE(page.is_valid());
  (void)carve(page);
  EXPECT_TRUE(page.is_valid());
  page.block_bytes += 16;
  EXPECT_FALSE(page.is_valid());
  page.block_bytes -= 16;
  const std::uint32_t used = page.used;
  page.used = page.capacity + 2U;
  EXPECT_FALSE(page.is_valid());
  page.used = used;
  page.back = 1;
  EXPECT_FALSE(page.is_valid());
  page.back = 0;
  EXPECT_TRUE(page.is_valid());
  free_slices(page);
  EXPECT_TRUE(page.is_valid());
}

}  // namespace
}  // namespace homenode::heap
