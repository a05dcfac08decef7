// Words, numbers and escapes of the kernel's text files.
#include "base/words.h"

#include <gtest/gtest.h>

namespace homenode {
namespace {

TEST(Words, AreTakenOneByOne) {
  std::string_view text = "  a\tbc  ";
  EXPECT_EQ(take_word(text), "a");
  EXPECT_EQ(take_word(text), "bc");
  EXPECT_EQ(take_word(text), "");
  EXPECT_TRUE(text.empty());
}

TEST(Words, LinesEndWithTheTextToo) {
  std::string_view text = "one\n\ntwo";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "two");
  EXPECT_TRUE(text.empty());
}

TEST(Words, EscapesAreUndone) {
  EXPECT_EQ(unescaped("/a\\040b\\012c\\075\\134d"), "/a b\nc=\\d");
  EXPECT_EQ(unescaped("\\04"), "\\04");
  EXPECT_EQ(unescaped("\\948\\"), "\\948\\");
  EXPECT_EQ(unescaped("\\777"), "\\777") << "no character has this number";
}

TEST(Words, TheNearestIsAtMostAThirdAway) {
  const std::vector<std::string> names{"topology", "run", "report", "--json"};
  EXPECT_EQ(nearest_word("topolgoy", names), "topology");
  EXPECT_EQ(nearest_word("rum", names), "run");
  EXPECT_EQ(nearest_word("--jsn", names), "--json");
  EXPECT_EQ(nearest_word("frobnicate", names), "");
  EXPECT_EQ(nearest_word("", names), "");
}

}  // namespace
}  // namespace homenode
