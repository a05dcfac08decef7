#include "cli/program_line.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

Result<ProgramLine> split(const Words& words) {
  CLI::App app{"", "test"};
  app.add_flag("-a,--all");
  app.add_flag("-l,--localalloc");
  app.add_option("-m,--membind");
  app.add_option("-p,--preferred");
  app.add_option("-P,--preferred-many");
  app.add_option("--machine");
  return split_program_line(app, words);
}

struct Case {
  Words words;
  Words options;
  Words program;
};

TEST(ProgramLine, OptionsEndWhereGetoptEndsThem) {
  const std::vector<Case> cases{
      {{}, {}, {}},
      {{"prog"}, {}, {"prog"}},
      {{"-m", "0", "prog", "-l", "--machine", "x"}, {"-m", "0"}, {"prog", "-l", "--machine", "x"}},
      {{"--membind=0", "prog", "--", "-m"}, {"--membind", "0"}, {"prog", "--", "-m"}},
      {{"-l", "--", "-m", "0"}, {"-l"}, {"-m", "0"}},
      {{"--", "--", "x"}, {}, {"--", "x"}},
      {{"-m0,1", "-la", "prog"}, {"-m", "0,1", "-l", "-a"}, {"prog"}},
      {{"-lm0", "prog"}, {"-l", "-m", "0"}, {"prog"}},
      {{"-lm", "0", "prog"}, {"-l", "-m", "0"}, {"prog"}},
      {{"-m", "--", "prog"}, {"-m", "--"}, {"prog"}},
      {{"-m", "-l", "prog"}, {"-m", "-l"}, {"prog"}},
      {{"-m=0", "prog"}, {"-m", "=0"}, {"prog"}},
      {{"--membind=", "prog"}, {"--membind", ""}, {"prog"}},
      {{"--membind=a=b", "prog"}, {"--membind", "a=b"}, {"prog"}},
      {{"-", "x"}, {}, {"-", "x"}},
      {{"", "x"}, {}, {"", "x"}},
  };
  for (const Case& wanted : cases) {
    const auto line = split(wanted.words);
    ASSERT_TRUE(line) << testing::PrintToString(wanted.words);
    EXPECT_EQ(line->options, wanted.options) << testing::PrintToString(wanted.words);
    EXPECT_EQ(line->program, wanted.program) << testing::PrintToString(wanted.words);
  }
}

TEST(ProgramLine, LongNamesMayBeCutShortWhileTheyAreTheOnlyOne) {
  EXPECT_EQ(split({"--memb=1", "x"})->options, (Words{"--membind", "1"}));
  EXPECT_EQ(split({"--local", "x"})->options, (Words{"--localalloc"}));
  EXPECT_EQ(split({"--preferred", "1"})->options, (Words{"--preferred", "1"}));
  EXPECT_EQ(split({"--preferred-", "1"})->options, (Words{"--preferred-many", "1"}));
  const auto ambiguous = split({"--pref", "1"});
  ASSERT_FALSE(ambiguous);
  EXPECT_NE(ambiguous.error().message().find("--preferred, --preferred-many"), std::string::npos);
}

TEST(ProgramLine, NamesTheOptionThatIsWrong) {
  for (const Words& words :
       {Words{"-z", "x"}, Words{"-lz", "x"}, Words{"--zz", "x"}, Words{"-m"}, Words{"--membind"},
        Words{"-lm"}, Words{"--all=1", "x"}, Words{"--=1", "x"}}) {
    const auto line = split(words);
    ASSERT_FALSE(line) << testing::PrintToString(words);
    EXPECT_EQ(line.error().code, ErrorCode::bad_usage);
    EXPECT_FALSE(line.error().next.empty());
  }
  EXPECT_NE(split({"-lz"}).error().message().find("-z"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
