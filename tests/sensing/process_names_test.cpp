// Processes by name: the kernel's, or the last part of the command's path.
#include "sensing/process_names.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "captured.h"
#include "fake/fake.h"

namespace homenode::sensing {
namespace {

class ProcessNames : public ::testing::Test {
 protected:
  void add(int pid, const std::string& name, const std::string& words, char state = 'S') {
    system.write(fmt::format("proc/{}/stat", pid),
                 stat_line({.id = pid, .name = name, .state = state}));
    system.write(fmt::format("proc/{}/cmdline", pid), words);
  }
  std::vector<pid_t> find(const std::string& name) {
    std::vector<pid_t> ids;
    const auto found = find_processes({os, system.root()}, name);
    EXPECT_TRUE(found);
    for (const ProcessName& process : *found) ids.push_back(process.pid);
    return ids;
  }

  CapturedSystem system;
  os::Fake os;
};

TEST_F(ProcessNames, AreTheKernelsOrTheCommands) {
  add(30, "renamed", std::string("/usr/bin/server-with-a-long-name\0-x\0", 36));
  add(20, "server-with-a-l", std::string("/usr/bin/server-with-a-long-name\0", 33));
  add(40, "other", std::string("other\0server-with-a-long-name\0", 30));
  EXPECT_EQ(find("server-with-a-long-name"), (std::vector<pid_t>{20, 30}));
  EXPECT_EQ(find("server-with-a-l"), (std::vector<pid_t>{20}));
  EXPECT_EQ(find("renamed"), (std::vector<pid_t>{30}));
  EXPECT_EQ(find("server"), (std::vector<pid_t>{}));
}

TEST_F(ProcessNames, LeaveOutTheKernelsThreadsAndTheDead) {
  add(2, "kworker/0:1", "");
  add(3, "gone", "gone", 'Z');
  EXPECT_TRUE(find("kworker/0:1").empty());
  EXPECT_TRUE(find("gone").empty());
}

TEST_F(ProcessNames, ShowTheCommandLine) {
  add(5, "a", std::string("a\0b c\0", 6));
  const auto found = find_processes({os, system.root()}, "a");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().command_line, "a b c");
}

TEST_F(ProcessNames, AProcessThatCannotBeSeenForNowIsNotSaidToBeAbsent) {
  add(5, "a", std::string("a\0", 2));
  for (const unsigned nth : {1U, 2U}) {
    os.fail_call("read_file", nth, EMFILE);
    const auto unknown = find_processes({os, system.root()}, "a");
    ASSERT_FALSE(unknown) << nth;
    EXPECT_EQ(unknown.error().errno_value, EMFILE);
    for (const int gone : {ENOENT, ESRCH, EACCES, EPERM}) {
      os.fail_call("read_file", nth, gone);
      EXPECT_TRUE(find("a").empty()) << nth;
    }
  }
}

TEST_F(ProcessNames, AProcOfNobodyIsAnError) {
  const auto found = find_processes({os, system.root() + "/nowhere"}, "a");
  ASSERT_FALSE(found);
  EXPECT_FALSE(found.error().next.empty());
}

}  // namespace
}  // namespace homenode::sensing
