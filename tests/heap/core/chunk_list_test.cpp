#include "heap/chunk_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "heap/arena.h"
#include "heap/core_heap.h"
#include "heap/process.h"

namespace homenode::heap {
namespace {

/// So many chunks without memory, and what was noted of each.
struct BareChunks {
  std::vector<std::unique_ptr<Chunk>> chunks;
  std::vector<unsigned> longest;
  ChunkList list{};

  void add(unsigned length) {
    chunks.push_back(std::make_unique<Chunk>());
    longest.push_back(length);
    list.append(*chunks.back());
    note_longest(*chunks.back(), length);
  }
  void note(std::size_t chunk, unsigned length) {
    longest[chunk] = length;
    note_longest(*chunks[chunk], length);
  }
  [[nodiscard]] const Chunk* expected(unsigned count) const {
    const auto at = std::find_if(longest.begin(), longest.end(),
                                 [&](unsigned length) { return length >= count; });
    return at == longest.end() ? nullptr
                               : chunks[static_cast<std::size_t>(at - longest.begin())].get();
  }
};

TEST(ChunkList, AnEmptyOneHasNone) {
  EXPECT_EQ(ChunkList{}.first_with(1), nullptr);
}

TEST(ChunkList, FindsTheOldestChunkWithRoomWhileItGrowsBeyondEveryLevel) {
  std::mt19937 random(11);
  BareChunks bare;
  constexpr std::size_t beyond_three_levels = 4096 + 300;
  while (bare.chunks.size() < beyond_three_levels) {
    bare.add(std::uniform_int_distribution(0U, 4U)(random));
    const auto some = std::uniform_int_distribution<std::size_t>(0, bare.chunks.size() - 1)(random);
    bare.note(some, random() % 3 == 0 ? chunk_slices - first_slice : random() % 2);
    // Mostly nothing is free in the older ones.
    if (bare.chunks.size() % 500 == 0) {
      for (std::size_t i = 0; i < bare.chunks.size(); ++i) bare.note(i, 0);
      ASSERT_TRUE(bare.list.is_valid());
    }
    for (const unsigned count : {1U, 2U, 4U, 5U, chunk_slices - first_slice, chunk_slices}) {
      ASSERT_EQ(bare.list.first_with(count), bare.expected(count)) << bare.chunks.size();
    }
    ASSERT_EQ(noted_longest(*bare.chunks[some]), bare.longest[some]);
  }
}

/// Takes large pages of a heap's arena, and gives all of them back.
struct Taken {
  CoreHeap& heap;
  std::vector<Page*> pages;

  Page* take(unsigned count, unsigned alignment = 1) {
    bool zeroed = false;
    pages.push_back(take_slices(heap, Kind::large, count, alignment, zeroed));
    return pages.back();
  }
  void free(std::size_t at) {
    free_slices(*pages[at]);
    pages.erase(pages.begin() + static_cast<std::ptrdiff_t>(at));
  }
  explicit Taken(CoreHeap& of) : heap(of) {}
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() {
    for (Page* const page : pages) free_slices(*page);
  }
};

TEST(Arena, LooksIntoFewChunksHoweverManyHaveHolesThatAreTooSmall) {
  start_process();
  Taken taken(*heap_of_cpu(0));
  Arena& arena = *taken.heap.arena;
  constexpr unsigned chunks = 40;
  constexpr unsigned each = 127;  // Eight of them are a chunk.
  for (unsigned i = 0; i < chunks * 8; ++i) ASSERT_NE(taken.take(each), nullptr);
  for (unsigned i = 0; i < chunks; ++i) taken.free(std::size_t{i} * 7);
  std::mt19937 random(5);
  constexpr unsigned requests = 400;
  const std::uint64_t before = arena.searched_chunks;
  for (unsigned i = 0; i < requests; ++i) {
    const unsigned count = std::uniform_int_distribution(each / 2, each * 2)(random);
    ASSERT_NE(taken.take(count), nullptr);
    taken.free(std::uniform_int_distribution<std::size_t>(0, taken.pages.size() - 1)(random));
  }
  // One that has the run, and one for each run that was taken since its chunk was looked into.
  EXPECT_LE(arena.searched_chunks - before, 2 * requests + chunks);
}

TEST(Arena, FindsAnAlignedRunBehindChunksThatHaveItOnlyElsewhere) {
  start_process();
  Taken taken(*heap_of_cpu(0));
  constexpr unsigned count = 64;
  for (int i = 0; i < 100; ++i) {
    Page* const page = taken.take(count, 64);
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(slice_of(*page) % 64, 0U);
    if (i % 3 == 0) taken.take(7);
  }
}

}  // namespace
}  // namespace homenode::heap
