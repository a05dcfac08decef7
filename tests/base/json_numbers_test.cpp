#include "base/json_numbers.h"

#include <gtest/gtest.h>

namespace homenode {
namespace {

TEST(JsonNumbers, SetsAreInIncreasingOrderAndListsInTheirOwn) {
  EXPECT_EQ(numbers(CpuSet{CpuId(65), CpuId(0), CpuId(2)}).dump(), "[0,2,65]");
  EXPECT_EQ(numbers(std::vector{NodeId(3), NodeId(1), NodeId(3)}).dump(), "[3,1,3]");
  EXPECT_EQ(numbers(NodeSet{}).dump(), "[]");
}

TEST(JsonNumbers, AmountsByNodeAreInTheOrderOfNumbersNotOfText) {
  const std::map<NodeId, std::uint64_t> bytes{{NodeId(10), 4096}, {NodeId(2), 8192}};
  EXPECT_EQ(by_node(bytes).dump(), R"({"2":8192,"10":4096})");
  EXPECT_EQ(by_node(std::map<NodeId, int>{}).dump(), "{}");
}

}  // namespace
}  // namespace homenode
