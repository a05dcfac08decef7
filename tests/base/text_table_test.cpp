// Columns for a terminal and lines of CSV.
#include "base/text_table.h"

#include <gtest/gtest.h>

namespace homenode {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestWord) {
  TextTable table({"a", "bb", "name"}, 1);
  table.add({"é…x", "1", "y"});
  EXPECT_EQ(table.text(), "a    bb  name\né…x   1  y\n");
}

TEST(TextTable, MebibytesHaveTwoDecimals) {
  EXPECT_EQ(mebibytes(0), "-");
  EXPECT_EQ(mebibytes(3U << 19U), "1.50");
}

TEST(TextTable, CellsOfCsvThatWouldEndEarlyAreQuoted) {
  EXPECT_EQ(csv_line({"a b", "1", ""}), "a b,1,\n");
  EXPECT_EQ(csv_line({"a,b", "say \"x\"", "two\nlines"}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n");
}

}  // namespace
}  // namespace homenode
