// What the shared library's exceptions are kept in, also where malloc has nothing left.
#include "capi/exception_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

namespace homenode::capi {
namespace {

using Memory = ExceptionMemory;

void* nothing(std::size_t /*bytes*/) {
  return nullptr;
}

bool is_zero(const void* block, std::size_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(block);
  return std::all_of(first, first + bytes, [](unsigned char byte) { return byte == 0; });
}

TEST(ExceptionMemory, IsMallocsWhileThereIsSome) {
  Memory memory;
  void* const block = memory.take(300, [](std::size_t bytes) {
    void* const dirty = std::malloc(bytes);
    if (dirty != nullptr) std::fill_n(static_cast<char*>(dirty), bytes, 'x');
    return dirty;
  });
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(is_zero(block, 300));
  EXPECT_FALSE(memory.give_back(block));
  std::free(block);
}

TEST(ExceptionMemory, HasBlocksOfItsOwnForWhenThereIsNone) {
  Memory memory;
  std::set<void*> blocks;
  for (std::size_t i = 0; i < Memory::slot_count; ++i) {
    void* const block = memory.take(Memory::slot_bytes, nothing);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
    EXPECT_TRUE(blocks.insert(block).second);
    EXPECT_TRUE(is_zero(block, Memory::slot_bytes));
    std::fill_n(static_cast<char*>(block), Memory::slot_bytes, 'x');
  }
  EXPECT_EQ(memory.take(1, nothing), nullptr);
  void* const some = *std::next(blocks.begin(), 5);
  EXPECT_TRUE(memory.give_back(some));
  EXPECT_EQ(memory.take(8, nothing), some);
  EXPECT_TRUE(is_zero(some, Memory::slot_bytes));
  for (void* block : blocks) EXPECT_TRUE(memory.give_back(block));
}

TEST(ExceptionMemory, HasNoneForWhatIsTooLarge) {
  Memory memory;
  EXPECT_EQ(memory.take(Memory::slot_bytes + 1, nothing), nullptr);
}

TEST(ExceptionMemory, NoTwoThreadsHaveOneBlock) {
  Memory memory;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned char id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 2000; ++i) {
        auto* const block = static_cast<unsigned char*>(memory.take(64, nothing));
        if (block == nullptr) {
          ++wrong;
          continue;
        }
        std::fill_n(block, 64, id);
        wrong += std::count(block, block + 64, id) != 64;
        if (!memory.give_back(block)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace homenode::capi
