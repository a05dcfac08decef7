#include "cli/run_charm.h"

#include <gtest/gtest.h>

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

TEST(RunCharm, TakesItsWordsOffTheFront) {
  Words program{"+setcpuaffinity", "+coremap",   "0,2",  "+maffinity", "+memnodemap", "0,1",
                "+mempol",         "interleave", "prog", "+x"};
  const auto request = take_charm_words(program);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->setcpuaffinity && request->maffinity);
  EXPECT_EQ(request->pemap, "0,2");
  EXPECT_EQ(request->nodemap, "0,1");
  EXPECT_EQ(request->mempol, "interleave");
  EXPECT_EQ(program, (Words{"prog", "+x"}));
}

TEST(RunCharm, LeavesOtherProgramsAlone) {
  Words program{"prog", "+pemap", "0"};
  const auto request = take_charm_words(program);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->pemap.empty());
  EXPECT_EQ(program.size(), 3U);
  Words ended{"+setcpuaffinity", "--", "prog"};
  ASSERT_TRUE(take_charm_words(ended));
  EXPECT_EQ(ended, Words{"prog"});
}

TEST(RunCharm, RefusesWhatItDoesNotKnow) {
  for (Words program :
       {Words{"+p4", "prog"}, Words{"+pemap"}, Words{"+pemap", "0", "+coremap", "1"},
        Words{"+setcpuaffinity", "-m", "0", "prog"}}) {
    const auto request = take_charm_words(program);
    ASSERT_FALSE(request) << program.front();
    EXPECT_EQ(request.error().code, ErrorCode::bad_usage);
  }
}

}  // namespace
}  // namespace homenode::cli
