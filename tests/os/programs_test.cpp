// Programs that wait before their exec, and guards, on the kernel that this runs on.
#include "os/programs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "os/linux.h"

namespace homenode::os {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ProgramsTest : public testing::Test {
 protected:
  ProgramsTest() { std::ofstream(path_) << "before"; }
  ~ProgramsTest() override { unlink(path_.c_str()); }

  Linux os_;
  std::string path_ = testing::TempDir() + "programs_test." + std::to_string(getpid());
};

TEST_F(ProgramsTest, ProgramRunsOnlyOnceItIsReleasedAndWithItsVariables) {
  WaitingProgram child;
  const std::vector<std::string> program{"sh", "-c", "exit $CODE"};
  ASSERT_EQ(os_.start_waiting(program, {{"CODE", "7"}}, child), 0);
  EXPECT_FALSE(os_.ending_of(child.pid, false));
  int descriptor = -1;
  ASSERT_EQ(os_.open_process(child.pid, descriptor), 0);
  ASSERT_EQ(os_.release(child), 0);
  const int one[1] = {descriptor};
  EXPECT_EQ(os_.wait_for_input(one, std::chrono::minutes(1)), 1);
  const auto ending = os_.ending_of(child.pid, true);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->number, 7);
  os_.close_file(descriptor);
}

TEST_F(ProgramsTest, ProgramThatIsNotThereSaysSoWhenItIsReleased) {
  WaitingProgram child;
  ASSERT_EQ(os_.start_waiting({"/no/such/program"}, {}, child), 0);
  EXPECT_EQ(os_.release(child), -ENOENT);
  EXPECT_FALSE(os_.ending_of(child.pid, false));
}

TEST_F(ProgramsTest, AbandonedProgramNeverRuns) {
  WaitingProgram child;
  ASSERT_EQ(os_.start_waiting({"sh", "-c", "echo ran >" + path_}, {}, child), 0);
  os_.abandon(child);
  EXPECT_EQ(kill(child.pid, 0), -1);
  EXPECT_EQ(content_of(path_), "before");
}

TEST_F(ProgramsTest, GuardWritesWhenItIsEnded) {
  Guard guard;
  ASSERT_EQ(os_.start_guard(path_, "after", guard), 0);
  EXPECT_EQ(content_of(path_), "before");
  EXPECT_EQ(os_.end_guard(guard), 0);
  EXPECT_EQ(content_of(path_), "aftere");  // As for files of /proc, nothing is cut off.
}

TEST_F(ProgramsTest, GuardThatCannotWriteSaysSo) {
  Guard guard;
  ASSERT_EQ(os_.start_guard("/no/such/file", "after", guard), 0);
  EXPECT_EQ(os_.end_guard(guard), -EIO);
}

TEST_F(ProgramsTest, ProcessorTimeOfTheCallerGrows) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  ASSERT_EQ(os_.process_cpu_ns(0, before), 0);
  do {
    ASSERT_EQ(os_.process_cpu_ns(0, after), 0);
  } while (after <= before);
  EXPECT_LT(os_.process_cpu_ns((1 << 22) + 1, after), 0);
}

TEST_F(ProgramsTest, WhoGivesWayIsLastAndItsProgramsAreNot) {
  WaitingProgram child;
  ASSERT_EQ(os_.start_waiting({"true"}, {}, child), 0);
  std::thread([&] {
    EXPECT_EQ(os_.give_way(), 0);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 19);
  }).join();
  EXPECT_LT(getpriority(PRIO_PROCESS, static_cast<id_t>(child.pid)), 19);
  EXPECT_LT(getpriority(PRIO_PROCESS, 0), 19);
  os_.abandon(child);
}

}  // namespace
}  // namespace homenode::os
