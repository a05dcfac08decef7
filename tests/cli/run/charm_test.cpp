#include "cli/run/charm.h"

#include <gtest/gtest.h>

#include "cli/run/run.h"
#include "support/command_line.h"

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
        Words{"+setcpuaffinity", "--", "-m", "0", "prog"}}) {
    const auto request = take_charm_words(program);
    ASSERT_FALSE(request) << program.front();
    EXPECT_EQ(request.error().code, ErrorCode::bad_usage);
  }
}

TEST(RunCharm, FindsItsWordsAmongTheArguments) {
  const auto request = find_charm_words({"prog", "+p4", "x", "+pemap", "L0-3", "-y", "+maffinity"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->setcpuaffinity && request->maffinity);
  EXPECT_EQ(request->pemap, "L0-3");
  EXPECT_FALSE(find_charm_words({"prog", "+pemap"}));
  EXPECT_FALSE(find_charm_words({"prog", "+pemap", "0", "+pemap", "1"}));
  EXPECT_TRUE(find_charm_words({}));
}

TEST(RunCharm, OptionsMayStandAmongItsWords) {
  CommandLine line;
  const Words before{"run", "-l", "--explain", "+setcpuaffinity", "+pemap", "0", "prog", "-m"};
  EXPECT_EQ(line.run(before), exit_done) << line.err.str();
  const std::string expected = line.out.str();
  EXPECT_NE(expected.find("thread 0: CPUs 0"), std::string::npos) << expected;
  for (const Words& words :
       {Words{"run", "+setcpuaffinity", "+pemap", "0", "--explain", "-l", "prog", "-m"},
        Words{"run", "+setcpuaffinity", "-l", "+pemap", "0", "--explain", "prog", "-m"},
        Words{"run", "-l", "+setcpuaffinity", "+pemap", "0", "--explain", "--", "prog", "-m"}}) {
    EXPECT_EQ(line.run(words), exit_done) << line.err.str();
    EXPECT_EQ(line.out.str(), expected) << testing::PrintToString(words);
    EXPECT_TRUE(line.err.str().empty());
  }
  for (const Words& words : {Words{"run", "+setcpuaffinity", "+pemap", "0", "-z", "prog"},
                             Words{"run", "--", "+setcpuaffinity", "+pemap", "0", "-l", "prog"},
                             Words{"run", "+setcpuaffinity", "+pemap"}}) {
    EXPECT_EQ(line.run(words), exit_usage) << testing::PrintToString(words);
  }
}

TEST(RunCharm, ExplainReadsTheWordsOfTheProgram) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "--explain", "prog", "x", "+pemap", "0"}), exit_done);
  EXPECT_NE(line.out.str().find("thread 0: CPUs 0"), std::string::npos) << line.out.str();
  EXPECT_NE(line.out.str().find("program: prog x +pemap 0\n"), std::string::npos);
  EXPECT_NE(line.err.str().find("its own runtime"), std::string::npos);
  EXPECT_EQ(line.run({"run", "prog", "+pemap", "0"}), exit_not_found);
  EXPECT_EQ(line.os.executed(), (Words{"prog", "+pemap", "0"}));
}

}  // namespace
}  // namespace homenode::cli
