// The allocator's core beside the test's own malloc: this is what the sanitizers see.
#include "heap/blocks.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/heap_header.h"
#include "heap/huge.h"
#include "heap/process.h"
#include "heap/statistics.h"

namespace homenode::heap {
namespace {

std::size_t any_size(std::mt19937& random) {
  const auto kind = random() % 100;
  if (kind < 85) return 1 + random() % 700;
  if (kind < 98) return 1 + random() % 60'000;
  return 1 + random() % 2'000'000;
}

unsigned char stamp(std::size_t bytes) {
  return static_cast<unsigned char>(bytes * 7 + 1);
}

/// A block that knows its size and is filled with what follows from it.
void* take(std::mt19937& random) {
  const std::size_t bytes = sizeof(std::size_t) + any_size(random);
  const std::size_t alignment = std::size_t{16} << (random() % 9 == 0 ? random() % 10 : 0);
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory == nullptr || reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
    return nullptr;
  std::memset(memory, stamp(bytes), bytes);
  std::memcpy(memory, &bytes, sizeof bytes);
  return memory;
}

bool whole(const void* memory) {
  std::size_t bytes = 0;
  std::memcpy(&bytes, memory, sizeof bytes);
  const auto* const at = static_cast<const unsigned char*>(memory);
  for (std::size_t i = sizeof bytes; i<bytes; i += bytes> 4096 ? 61 : 1) {
    if (at[i] != stamp(bytes)) return false;
  }
  return true;
}

TEST(Blocks, KeepTheirContentsWhenThreadsHandThemAround) {
  constexpr unsigned threads = 4;
  constexpr unsigned rounds = 8000;
  std::array<std::atomic<void*>, 512> slots{};
  std::atomic<unsigned> faults = 0;
  for (int generation = 0; generation < 2; ++generation) {
    std::vector<std::thread> team;
    for (unsigned rank = 0; rank < threads; ++rank) {
      team.emplace_back([&, rank] {
        std::mt19937 random(rank + 1);
        for (unsigned i = 0; i < rounds; ++i) {
          void* const fresh = take(random);
          if (fresh == nullptr) ++faults;
          void* const old = slots[random() % slots.size()].exchange(fresh);
          if (old != nullptr && !whole(old)) ++faults;
          release(old);
        }
      });
    }
    for (std::thread& one : team) one.join();
  }
  for (std::atomic<void*>& slot : slots) release(slot.exchange(nullptr));
  EXPECT_EQ(faults, 0U);
}

TEST(Blocks, GrowAndShrinkWithTheirContents) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::size_t bytes = any_size(random);
    auto* memory = static_cast<unsigned char*>(allocate(bytes));
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 9, bytes);
    for (int step = 0; step < 12; ++step) {
      const std::size_t next = random() % 3 == 0 ? any_size(random) : bytes + 1 + bytes / 2;
      if (next > (std::size_t{48} << 20)) break;
      memory = static_cast<unsigned char*>(resize(memory, next));
      ASSERT_NE(memory, nullptr);
      const std::size_t kept = std::min(bytes, next);
      ASSERT_EQ(memory[0], 9);
      ASSERT_EQ(memory[kept - 1], 9);
      ASSERT_GE(usable_bytes(memory), next);
      std::memset(memory, 9, next);
      bytes = next;
    }
    release(memory);
  }
}

TEST(Blocks, ThatGrowByLittleAreSeldomCopied) {
  int moves = 0;
  std::thread([&] {  // A new one has no blocks of larger sizes at hand that could serve.
    std::size_t bytes = 1000;
    void* memory = allocate(bytes);
    for (; bytes < 8000; bytes += 16) {
      void* const other = resize(memory, bytes);
      ASSERT_NE(other, nullptr);
      moves += other != memory ? 1 : 0;
      memory = other;
      ASSERT_LE(usable_bytes(memory), bytes * 3 / 2);
    }
    release(memory);
  })
      .join();
  EXPECT_LE(moves, 10) << "of three doublings";
}

TEST(Blocks, OfASizeThatIsNewInAThreadMayBeLargerOnes) {
  unsigned larger = 0;
  std::thread([&] {
    for (std::size_t bytes = 1024; bytes >= 32; bytes -= 16) {
      void* const memory = allocate(bytes);
      if (usable_bytes(memory) > compute_bytes(compute_class(bytes))) ++larger;
      EXPECT_LT(usable_bytes(memory), 2 * bytes);
      release(memory);
    }
  }).join();
  EXPECT_GT(larger, 0U);
}

TEST(Blocks, AreAlignedWhateverSizeTheyAreOf) {
  struct Pair {
    std::size_t alignment;
    std::size_t bytes;
    std::size_t larger;
  };
  std::thread([] {
    for (const Pair& pair : {Pair{32, 64, 80}, Pair{64, 192, 208}, Pair{64, 320, 352},
                             Pair{128, 384, 416}, Pair{256, 768, 832}}) {
      void* const held = allocate(pair.larger);  // The first of a page is aligned to anything.
      release(allocate(pair.larger));
      void* const memory = allocate_aligned(pair.bytes, pair.alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % pair.alignment, 0U) << pair.bytes;
      release(memory);
      release(held);
    }
  }).join();
}

std::size_t used_bytes() {
  const Totals totals = count_all();
  return totals.committed_bytes - totals.kept_bytes;
}

/// Where `homenode where` looks for whose memory it is: at a multiple of 64 MiB.
TEST(Blocks, OfTheirOwnMappingsHaveAMarkBeforeThemWhateverTheirAlignment) {
  const std::size_t most = std::size_t{1} << 30;
  for (std::size_t alignment = 16; alignment <= most; alignment *= 2) {
    auto* const memory = static_cast<char*>(allocate_aligned(huge_bytes + 1, alignment));
    ASSERT_NE(memory, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
    memory[0] = memory[huge_bytes] = 3;
    const auto before = reinterpret_cast<std::uintptr_t>(memory) - 1;
    const auto* const header =
        reinterpret_cast<const HeapHeader*>(before - before % heap_header_step);
    EXPECT_EQ(header->magic, heap_header_magic) << alignment;
    EXPECT_EQ(header->address, reinterpret_cast<std::uintptr_t>(header)) << alignment;
    EXPECT_GE(usable_bytes(memory), huge_bytes + 1);
    release(memory);
  }
}

TEST(Blocks, ComeBackFromThreadsThatAreGone) {
  const std::size_t before = used_bytes();
  for (int round = 0; round < 50; ++round) {
    std::thread([] {
      std::vector<void*> held;
      for (int i = 0; i < 2000; ++i) held.push_back(allocate(64));
      for (void* one : held) release(one);
    }).join();
  }
  // Two thousand blocks are 128 KiB. Had each thread kept its pages, fifty would have 6 MiB.
  EXPECT_LT(used_bytes(), before + (std::size_t{1} << 20));
}

TEST(Blocks, FreeOfOneThreadsBlocksByAnotherIsBounded) {
  std::atomic<void*> box = nullptr;
  std::atomic<bool> done = false;
  std::thread consumer([&] {
    while (!done || box != nullptr) release(box.exchange(nullptr));
  });
  const std::size_t before = count_all().committed_bytes;
  for (int i = 0; i < 200'000; ++i) {
    void* const fresh = allocate(200);
    void* none = nullptr;
    if (!box.compare_exchange_strong(none, fresh)) release(fresh);
  }
  done = true;
  consumer.join();
  EXPECT_LT(count_all().committed_bytes, before + (std::size_t{2} << 20));
}

TEST(Blocks, AreRefusedWhenTheyCannotBe) {
  EXPECT_EQ(allocate(most_bytes), nullptr);
  EXPECT_EQ(allocate(most_bytes + 1), nullptr);
  EXPECT_EQ(allocate_aligned(most_bytes, 4096), nullptr);
  EXPECT_EQ(allocate_zeroed(std::size_t{1} << 60), nullptr);
  void* const block = allocate(100);
  EXPECT_EQ(resize(block, std::size_t{1} << 60), nullptr);
  release(block);
  int ours_not = 0;
  EXPECT_FALSE(is_ours(&ours_not));
  EXPECT_EQ(usable_bytes(&ours_not), 0U);
}

}  // namespace
}  // namespace homenode::heap
