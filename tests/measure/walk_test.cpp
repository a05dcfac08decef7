#include <gtest/gtest.h>

#include <algorithm>
#include <string>
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
  std::vector<double> memory = memory_of(24);
  for (std::size_t arrays : {2U, 3U, 4U}) {
    std::vector<int> owners(memory.size(), 0);
    for (std::size_t part = 0; part < 2; ++part) {
      Walk walk({{memory.data(), memory.size()}}, {.arrays = arrays, .part = part, .parts = 2});
      const auto slices = walk.next(walk.elements());
      ASSERT_EQ(slices.size(), 1U);
      const double* const firsts[] = {slices[0].target, slices[0].source, slices[0].second,
                                      slices[0].third};
      for (std::size_t array = 0; array < arrays; ++array) {
        for (std::size_t i = 0; i < slices[0].count; ++i) {
          ++owners[static_cast<std::size_t>(firsts[array] - memory.data()) + i];
        }
      }
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<long>(memory.size()));
  }
}

/// Where the arrays of a member begin, each in its part of a memory.
std::vector<const double*> begins_of(std::vector<double>& memory, const Walk::Shape& shape) {
  Walk walk({{memory.data(), memory.size()}}, shape);
  const std::size_t elements = walk.elements();
  EXPECT_GT(elements * shape.arrays * shape.parts, memory.size() / 100 * 95);
  const Slice slice = walk.next(elements).front();
  std::vector<const double*> begins{slice.target};
  if (shape.arrays > 1) begins.push_back(slice.source);
  if (shape.arrays > 2) begins.push_back(slice.second);
  if (shape.arrays > 3) begins.push_back(slice.third);
  for (const double* const begin : begins) {
    EXPECT_GE(begin, memory.data());
    EXPECT_LE(begin + elements, memory.data() + memory.size());
  }
  return begins;
}

void expect_odd_distance(const double* from, const double* to) {
  const auto bytes = static_cast<std::size_t>(to - from) * sizeof(double);
  EXPECT_EQ(bytes % 64, 0U);
  EXPECT_NE(bytes & (bytes - 1), 0U) << bytes << " is a power of two";
  EXPECT_NE(bytes % 4096, 0U) << bytes << " bytes meet in the same set of a cache";
}

TEST(Walk, ArraysOfAMemberAndPartsOfAnArrayAreNoPowerOfTwoApart) {
  constexpr std::size_t megabyte = (std::size_t{1} << 20U) / sizeof(double);
  std::vector<double> memory(48 * megabyte);
  for (std::size_t arrays : {1U, 2U, 3U, 4U}) {
    for (std::size_t parts : {1U, 2U, 4U}) {
      SCOPED_TRACE(std::to_string(arrays) + " arrays, " + std::to_string(parts) + " parts");
      std::vector<const double*> before;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto begins = begins_of(memory, {.arrays = arrays, .part = part, .parts = parts});
        for (std::size_t i = 1; i < arrays; ++i) expect_odd_distance(begins[i - 1], begins[i]);
        if (part > 0) expect_odd_distance(before.front(), begins.front());
        before = begins;
      }
    }
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
