#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "measure/bandwidth.h"

namespace homenode::measure {
namespace {

using workloads::probe::block_elements;
using workloads::probe::Slice;

constexpr std::size_t block = block_elements;

/// Memory whose addresses matter, not its content.
std::vector<double> memory_of(std::size_t blocks) {
  return std::vector<double>(blocks * block);
}

TEST(Walk, GoesOnWhereItStoppedAndRoundItsPart) {
  std::vector<double> memory = memory_of(10);
  Walk walk({{memory.data(), memory.size()}}, {.arrays = 1, .part = 1, .parts = 2});
  EXPECT_EQ(walk.elements(), 5 * block);
  auto slices = walk.next(3 * block);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].source - memory.data(), 5 * static_cast<long>(block));
  EXPECT_EQ(slices[0].target, slices[0].source);
  slices = walk.next(4 * block);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].source - memory.data(), 8 * static_cast<long>(block));
  EXPECT_EQ(slices[0].count, 2 * block);
  EXPECT_EQ(slices[1].source - memory.data(), 5 * static_cast<long>(block));
  EXPECT_EQ(slices[1].count, 2 * block);
}

TEST(Walk, TheArraysOfAKernelShareTheMemoryWithoutOverlap) {
  std::vector<double> memory = memory_of(12);
  for (std::size_t arrays : {2U, 3U}) {
    std::vector<int> owners(memory.size(), 0);
    for (std::size_t part = 0; part < 2; ++part) {
      Walk walk({{memory.data(), memory.size()}}, {.arrays = arrays, .part = part, .parts = 2});
      const auto slices = walk.next(walk.elements());
      ASSERT_EQ(slices.size(), 1U);
      const double* const firsts[] = {slices[0].target, slices[0].source, slices[0].second};
      for (std::size_t array = 0; array < arrays; ++array) {
        for (std::size_t i = 0; i < slices[0].count; ++i) {
          ++owners[static_cast<std::size_t>(firsts[array] - memory.data()) + i];
        }
      }
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<long>(memory.size()));
  }
}

TEST(Walk, TakesTurnsOverSeveralMemories) {
  std::vector<double> first = memory_of(4);
  std::vector<double> second = memory_of(4);
  Walk walk({{first.data(), first.size()}, {second.data(), second.size()}},
            {.arrays = 1, .parts = 1, .turn_elements = 2 * block, .first_memory = 1});
  EXPECT_EQ(walk.elements(), 8 * block);
  const auto slices = walk.next(5 * block);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].source, second.data());
  EXPECT_EQ(slices[1].source, first.data());
  EXPECT_EQ(slices[2].source, second.data() + 2 * block);
  EXPECT_EQ(slices[2].count, block);
}

}  // namespace
}  // namespace homenode::measure
