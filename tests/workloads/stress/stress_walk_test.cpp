#include "workloads/stress/walk.h"

#include <gtest/gtest.h>

#include <vector>

namespace homenode::workloads::stress {
namespace {

constexpr std::size_t page_words = 512;

Block block_over(std::vector<std::uint64_t>& memory, std::size_t stride_words,
                 std::uint64_t number) {
  return {memory, page_words, stride_words, number};
}

TEST(StressWalk, TouchesOneByteOfEachPage) {
  std::vector<std::uint64_t> memory(3 * page_words, 0);
  touch_first(block_over(memory, 8, 5));
  for (std::size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i] != 0, i % page_words == 0) << i;
  }
  EXPECT_NE(memory[0], memory[page_words]);
}

TEST(StressWalk, ReadsWhatWasWritten) {
  std::vector<std::uint64_t> memory(4 * page_words, 0);
  const Block block = block_over(memory, 8, 2);
  touch_first(block);
  EXPECT_EQ(read_pages(block, 0, 4), expected_sum(block, 0, 4));
  EXPECT_EQ(read_pages(block, 1, 2), memory[page_words] + memory[2 * page_words]);
  memory[2 * page_words + 8] += 1;
  EXPECT_NE(read_pages(block, 1, 2), expected_sum(block, 1, 2));
}

TEST(StressWalk, AddsToEveryUsedWordAndKnowsWhatIsWrong) {
  std::vector<std::uint64_t> memory(2 * page_words, 0);
  const Block block = block_over(memory, 64, 1);
  touch_first(block);
  EXPECT_EQ(wrong_words(block, 0), 0U);
  for (int i = 0; i < 3; ++i) add_to_pages(block, 0, 2);
  EXPECT_EQ(memory[64], 3U);
  EXPECT_EQ(memory[65], 0U);
  EXPECT_EQ(wrong_words(block, 3), 0U);
  EXPECT_EQ(wrong_words(block, 2), 2 * page_words / 64);
  std::swap(memory[0], memory[page_words]);  // As if two pages had been mixed up.
  EXPECT_EQ(wrong_words(block, 3), 2U);
  memory[5] = 1;
  EXPECT_EQ(wrong_words(block, 3), 3U);
}

TEST(StressWalk, TellsBlocksApart) {
  std::vector<std::uint64_t> memory(page_words, 0);
  touch_first(block_over(memory, 8, 1));
  EXPECT_NE(wrong_words(block_over(memory, 8, 2), 0), 0U);
}

}  // namespace
}  // namespace homenode::workloads::stress
