#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "text.h"

namespace homenode::capi_tests {
namespace {

constexpr std::size_t large = 300'000;

std::vector<int> nodes_of(void* address, std::size_t bytes) {
  hn_region* region = nullptr;
  EXPECT_EQ(hn_region_adopt(address, bytes, &region, nullptr), HN_OK);
  std::vector<int> nodes(hn_region_pages(region), -7);
  char* error = nullptr;
  EXPECT_EQ(hn_region_audit(region, nodes.data(), nodes.size(), nullptr, &error), HN_OK)
      << take(error);
  hn_region_free(region);
  return nodes;
}

bool all_are(const char* bytes, std::size_t count, char value) {
  return std::all_of(bytes, bytes + count, [value](char byte) { return byte == value; });
}

TEST(RuleMemory, ALargeBlockBeginsAPageAndIsZeroAndPresent) {
  void* const block = hn_rule_malloc("block", large);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % hn_page_bytes(), 0U);
  EXPECT_TRUE(all_are(static_cast<char*>(block), large, 0));
  for (const int node : nodes_of(block, large)) EXPECT_GE(node, 0);
  hn_rule_free("block", block, large);
}

TEST(RuleMemory, BlocksKeepTheirBytesAsTheyGrowAndShrink) {
  char* block = static_cast<char*>(hn_rule_calloc("cyclic", 10, 10));
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(all_are(block, 100, 0));
  std::fill_n(block, 100, 'x');
  for (const std::size_t bytes : {large, 2 * large, std::size_t{200}, large}) {
    block = static_cast<char*>(hn_rule_realloc("cyclic", block, bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(all_are(block, 100, 'x'));
  }
  hn_rule_free("cyclic", block, large);
}

TEST(RuleMemory, AnotherThreadMayFreeABlockWithoutItsRule) {
  void* const block = hn_rule_malloc("block", large);
  ASSERT_NE(block, nullptr);
  std::thread([block] { hn_rule_free(nullptr, block, 0); }).join();
  hn_rule_free("block", nullptr, 0);
}

TEST(RuleMemory, WhatCannotBePlacedIsAllocatedAllTheSame) {
  void* const block = hn_rule_malloc("bind@65000", large);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(all_are(static_cast<char*>(block), large, 0));
  hn_rule_free("bind@65000", block, large);
}

TEST(RuleMemory, SizesThatNoMemoryHasGiveNull) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(hn_rule_calloc("block", most / 2, 3), nullptr);
  EXPECT_EQ(hn_rule_malloc("block", most / 2), nullptr);
  char* const block = static_cast<char*>(hn_rule_malloc("block", 8));
  *block = 'k';
  EXPECT_EQ(hn_rule_realloc("block", block, most / 2), nullptr);
  EXPECT_EQ(*block, 'k');
  hn_rule_free("block", block, 8);
}

}  // namespace
}  // namespace homenode::capi_tests
