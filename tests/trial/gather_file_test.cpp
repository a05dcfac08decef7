#include "trial/gather_file.h"

#include <gtest/gtest.h>

namespace homenode::trial {
namespace {

TEST(GatherFile, IsReadAsSpatterWritesIt) {
  const auto patterns = read_patterns(
      R"([{"name": "x", "kernel": "Scatter", "pattern": [0, 24, 48], "delta": 8, "count": 16},
          {"kernel": "Gather", "pattern": "UNIFORM:4:2", "op": "copy"}])");
  ASSERT_TRUE(patterns) << patterns.error().message();
  ASSERT_EQ(patterns->size(), 2U);
  EXPECT_EQ((*patterns)[0].name, "x");
  EXPECT_EQ((*patterns)[0].direction, workloads::gather::Direction::scatter);
  EXPECT_EQ((*patterns)[0].indices, (std::vector<std::uint64_t>{0, 24, 48}));
  EXPECT_EQ((*patterns)[0].count, 16U);
  EXPECT_EQ((*patterns)[1].indices, (std::vector<std::uint64_t>{0, 2, 4, 6}));
}

TEST(GatherFile, NamesTheEntryThatIsWrong) {
  for (const char* text :
       {"", "{}", "[]", "[1]", R"([{"pattern": []}])", R"([{"pattern": "?"}])",
        R"([{"pattern": [-1]}])", R"([{"pattern": [0], "count": 0}])",
        R"([{"pattern": [0], "delta": -1}])", R"([{"kernel": "Gather"}])",
        R"([{"pattern": [0], "kernel": "GS"}])", R"([{"pattern": [18446744073709551615]}])"}) {
    EXPECT_FALSE(read_patterns(text)) << text;
  }
}

}  // namespace
}  // namespace homenode::trial
