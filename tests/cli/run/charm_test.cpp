// Charm++'s arguments on the command line of `run`.
#include <gtest/gtest.h>

#include "cli/table.h"
#include "support/command_line.h"

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

TEST(RunCharm, OptionsMayStandAmongItsArguments) {
  CommandLine line;
  const Words before{"run", "-l", "--explain", "+setcpuaffinity", "+pemap", "0", "prog", "-m"};
  EXPECT_EQ(line.run(before), exit_done) << line.err.str();
  const std::string expected = line.out.str();
  EXPECT_NE(expected.find("thread 0: CPUs 0"), std::string::npos) << expected;
  for (const Words& words :
       {Words{"run", "+setcpuaffinity", "+pemap", "0", "--explain", "-l", "prog", "-m"},
        Words{"run", "+setcpuaffinity", "--expl", "+pemap", "0", "-l", "--", "prog", "-m"},
        Words{"run", "-l", "--explain", "--", "+setcpuaffinity", "+pemap", "0", "prog", "-m"},
        Words{"run", "+setcpuaffinity", "-l", "+pemap", "0", "--explain", "prog", "-m"},
        Words{"run", "-l", "+setcpuaffinity", "+pemap", "0", "--explain", "--", "prog", "-m"}}) {
    EXPECT_EQ(line.run(words), exit_done) << line.err.str();
    EXPECT_EQ(line.out.str(), expected) << testing::PrintToString(words);
    EXPECT_TRUE(line.err.str().empty());
  }
  for (const Words& words : {Words{"run", "+setcpuaffinity", "+pemap", "0", "-z", "prog"},
                             Words{"run", "--", "+setcpuaffinity", "+pemap", "0", "-l", "prog"},
                             Words{"run", "+setcpuaffinity", "+pemap"}}) {
    EXPECT_EQ(line.run(words), exit_launcher_failed) << testing::PrintToString(words);
  }
}

TEST(RunCharm, ExplainReadsThoseOfTheProgram) {
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
