#include "capi/array_rule.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace homenode::capi {
namespace {

constexpr std::size_t page = 4096;
const NodeSet usable{NodeId(0), NodeId(2), NodeId(9)};

/// Six rows of one page each.
const placement::ArrayShape six_rows{{6, page}, 1, placement::ArrayOrder::c};

std::vector<unsigned> nodes_of(const std::string& rule) {
  const auto map = map_array(rule, six_rows, usable, page);
  EXPECT_TRUE(map) << (map ? "" : map.error().message());
  std::vector<unsigned> nodes;
  if (map) {
    for (NodeId node : *map) nodes.push_back(node.value());
  }
  return nodes;
}

TEST(ArrayRule, KnowsItsNames) {
  for (const char* rule : {"rows", "columns:2", "blocks@0", "rows:1@0-2"}) {
    EXPECT_TRUE(is_array_rule(rule)) << rule;
  }
  for (const char* rule : {"", "row", "rowss", "block", "cyclic", ":rows", "@rows"}) {
    EXPECT_FALSE(is_array_rule(rule)) << rule;
  }
}

TEST(ArrayRule, TakesIndicesInTurnAndNodes) {
  EXPECT_EQ(nodes_of("rows"), (std::vector<unsigned>{0, 0, 2, 2, 9, 9}));
  EXPECT_EQ(nodes_of("rows:1"), (std::vector<unsigned>{0, 2, 9, 0, 2, 9}));
  EXPECT_EQ(nodes_of("rows:3@0,9"), (std::vector<unsigned>{0, 0, 0, 9, 9, 9}));
  EXPECT_EQ(nodes_of("rows@2"), std::vector<unsigned>(6, 2));
}

TEST(ArrayRule, RefusesNodesThatAreNotToBeUsed) {
  for (const char* rule : {"rows@1", "rows@0-2", "rows@", "rows@x", "rows:@0", "rows:x", "rows:0",
                           "rows:-1", "rows:1,2", "rows:1:2", "rows:99999999999999999999"}) {
    const auto map = map_array(rule, six_rows, usable, page);
    ASSERT_FALSE(map) << rule;
    EXPECT_EQ(map.error().code, ErrorCode::bad_usage);
  }
}

TEST(ArrayRule, AnyTextIsEitherAMapOfTheWholeArrayOrAnError) {
  std::mt19937 random(20);
  const std::string letters = "0129:@,- x!+\t";
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string rule = std::vector<std::string>{"rows", "columns", "blocks"}[random() % 3];
    for (auto more = random() % 7; more > 0; --more) rule += letters[random() % letters.size()];
    if (!is_array_rule(rule)) continue;
    const auto map = map_array(rule, six_rows, usable, page);
    if (!map) continue;
    ++accepted;
    ASSERT_EQ(map->size(), 6U) << rule;
    for (NodeId node : *map) ASSERT_TRUE(usable.contains(node)) << rule;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace homenode::capi
