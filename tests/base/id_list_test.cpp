#include "base/id_list.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode {
namespace {

TEST(IdList, PrintsRangesAndSingles) {
  EXPECT_EQ(to_list(NodeSet{NodeId(0), NodeId(1), NodeId(2), NodeId(8)}), "0-2,8");
  EXPECT_EQ(to_list(NodeSet{}), "");
}

TEST(IdList, ParsesTheKernelsForms) {
  EXPECT_EQ(to_list(*parse_cpu_list(" 0-3 , 8\n")), "0-3,8");
  EXPECT_EQ(to_list(*parse_cpu_list("0-7:2/4")), "0-1,4-5");
  EXPECT_TRUE(parse_node_list("")->empty());
}

TEST(IdList, NamesThePartThatIsWrong) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1,", "0-7:0/4", "0-7:5/4", "1;2",
                           "99999999999", "65536", "0x1"}) {
    const auto parsed = parse_node_list(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_usage);
    EXPECT_NE(parsed.error().message().find(text), std::string::npos);
  }
}

TEST(IdList, ParseAfterPrintIsIdentity) {
  std::mt19937 random(20121);
  for (int round = 0; round < 2000; ++round) {
    NodeSet set;
    for (auto i = random() % 20; i > 0; --i) {
      set.insert(NodeId(static_cast<unsigned>(random() % 300)));
    }
    const auto parsed = parse_node_list(to_list(set));
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(*parsed, set);
  }
}

}  // namespace
}  // namespace homenode
