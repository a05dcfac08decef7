// Large blocks: what is freed serves the next one, and what grows moves without a copy. How much
// that asks of the kernel.
#include <gtest/gtest.h>
#include <homenode/heap.h>

#include <cstring>

#include "fake_system.h"
#include "heap/blocks.h"
#include "heap/huge.h"

namespace homenode::heap {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// A heap of its own, whose memory is that of no other test.
class LargeBlocks : public testing::Test {
 protected:
  void SetUp() override {
    fake::refuse({});
    const hn_heap_options options{};
    heap_ = hn_heap_create(&options);
    ASSERT_NE(heap_, nullptr);
  }
  void TearDown() override {
    fake::lock_new_memory(false);
    hn_heap_destroy(heap_);
  }

  char* take(std::size_t bytes) {
    auto* const memory = static_cast<char*>(hn_heap_malloc(heap_, bytes));
    EXPECT_NE(memory, nullptr);
    if (memory != nullptr) memory[0] = memory[bytes - 1] = 1;
    return memory;
  }

  [[nodiscard]] std::size_t mapped_bytes() const {
    hn_heap_statistics statistics{};
    EXPECT_EQ(hn_heap_statistics_of(heap_, &statistics), 0);
    return statistics.mapped;
  }

  hn_heap* heap_ = nullptr;
};

TEST_F(LargeBlocks, OfUpTo32MiBThatAreFreedServeTheNext) {
  hn_heap_free(take(huge_bytes));
  fake::refuse({});  // Counts anew.
  for (std::size_t bytes = huge_bytes; bytes > 16 * mib; bytes -= mib) {
    hn_heap_free(take(bytes));
  }
  EXPECT_EQ(fake::calls_of(fake::Call::map), 0U);
  EXPECT_EQ(fake::calls_of(fake::Call::unmap), 0U);
}

TEST_F(LargeBlocks, TakeNoMoreThanThemselvesWhereMemoryIsLocked) {
  fake::lock_new_memory(true);
  char* const block = take(24 * mib);
  EXPECT_LT(mapped_bytes(), 25 * mib);
  hn_heap_free(block);
  EXPECT_EQ(mapped_bytes(), 0U);
  hn_heap_free(take(8 * mib));
  EXPECT_LT(mapped_bytes(), 9 * mib);
}

TEST_F(LargeBlocks, OfMappingsOfTheirOwnGrowWithoutACopy) {
  char* block = take(40 * mib);
  fake::refuse({});
  block = static_cast<char*>(hn_heap_realloc(heap_, block, 2 * mib));
  ASSERT_NE(block, nullptr);
  for (std::size_t bytes = 3 * mib; bytes < 20 * mib; bytes += mib) {
    block = static_cast<char*>(hn_heap_realloc(heap_, block, bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block[0], 1);
  }
  EXPECT_EQ(fake::calls_of(fake::Call::resize), 18U) << "each step is one of its mapping";
  EXPECT_EQ(fake::calls_of(fake::Call::map), fake::calls_of(fake::Call::move));
  hn_heap_free(block);
}

TEST_F(LargeBlocks, OfFourMiBAndMoreAreAskedForInHugePages) {
  const std::size_t before = fake::huge_page_bytes();
  hn_heap_free(take(3 * mib));
  EXPECT_EQ(fake::huge_page_bytes(), before) << "too small";
  hn_heap_free(take(16 * mib));
  EXPECT_EQ(fake::huge_page_bytes(), before + 16 * mib);
  hn_heap_free(take(100 * mib));
  EXPECT_GE(fake::huge_page_bytes(), before + 116 * mib) << "that has a mapping of its own";
}

TEST(InterleavedBlocks, HaveSmallPages) {
  hn_heap_options options{};
  options.policy = "interleave";
  hn_heap* const heap = hn_heap_create(&options);
  ASSERT_NE(heap, nullptr);
  const std::size_t before = fake::huge_page_bytes();
  for (const std::size_t bytes : {24 * mib, 100 * mib}) {
    void* const block = hn_heap_malloc(heap, bytes);
    EXPECT_NE(block, nullptr);
    hn_heap_free(block);
  }
  EXPECT_EQ(fake::huge_page_bytes(), before);
  hn_heap_destroy(heap);
}

}  // namespace
}  // namespace homenode::heap
