// The watch: how often it draws, and each way in which it ends.
#include "cli/where/watch.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/where_process.h"

namespace homenode::cli {
namespace {

using namespace std::chrono_literals;

class WhereWatch : public ::testing::Test {
 protected:
  Result<void> run() { return watch(context, settings, pace.pace()); }

  os::Fake os;
  std::ostringstream out;
  std::ostringstream err;
  Context context{os, out, err, "homenode"};
  FakePace pace;
  int drawn = 0;
  int runs_for = 1000;
  Watch settings{2s, false,
                 [this]() -> Result<std::string> { return std::to_string(++drawn) + "\n"; },
                 [this] { return drawn <= runs_for; }};
};

TEST_F(WhereWatch, DrawsUntilThePersonStopsIt) {
  pace.stop_after = 3;
  ASSERT_TRUE(run());
  EXPECT_EQ(out.str(), "1\n2\n3\n");
  EXPECT_EQ(pace.now, 6s);
  EXPECT_EQ(err.str(), "");
}

TEST_F(WhereWatch, EndsWithTheProcessAndSaysSo) {
  runs_for = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(out.str(), "1\n2\n") << "what was read of a process that ended is not shown";
  EXPECT_EQ(err.str(), "homenode where: the process has ended\n");
}

TEST_F(WhereWatch, AnErrorWhileTheProcessRunsEndsIt) {
  settings.draw = [this]() -> Result<std::string> {
    if (++drawn == 2) return failed("cannot read", "look");
    return std::string("x\n");
  };
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().tried, "cannot read");
  drawn = 1;
  EXPECT_FALSE(run()) << "an error at the first look is told";
}

TEST_F(WhereWatch, ATerminalIsDrawnOver) {
  settings.on_terminal = true;
  pace.stop_after = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(out.str(), "\033[H\033[J1\n\033[H\033[J2\n");
}

}  // namespace
}  // namespace homenode::cli
