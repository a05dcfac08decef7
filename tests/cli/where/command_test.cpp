// The verb as a whole, on this test's own process.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/invoke.h"
#include "cli/table.h"
#include "os/linux.h"
#include "support/command_line.h"

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

/// Another process, a copy of this one that waits.
class Child {
 public:
  explicit Child(const char* name = "child") : pid_(fork()) {
    if (pid_ == 0) {
      prctl(PR_SET_NAME, name);
      for (;;) pause();
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_;
};

void expect_one_line(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_TRUE(text.starts_with("homenode where: ")) << text;
  EXPECT_NE(text.find("; "), std::string::npos) << "says what to do next: " << text;
}

TEST(WhereCommand, ShowsALiveProcess) {
  const Child child;
  CommandLine line;
  ASSERT_EQ(line.run({"where", child.pid(), "--mappings=2"}), exit_done) << line.err.str();
  EXPECT_NE(line.out.str().find("process " + child.pid()), std::string::npos);
  EXPECT_NE(line.out.str().find("may run on"), std::string::npos);
  ASSERT_EQ(line.run({"where", child.pid(), "--json", "--huge-pages"}), exit_done);
  const auto json = nlohmann::json::parse(line.out.str());
  EXPECT_EQ(json["schema"], "homenode.where/2");
  EXPECT_FALSE(json["mappings"].empty());
  EXPECT_EQ(json["threads"].size(), 1U);
}

/// Waits until the kernel knows a child by the name that it gives itself.
void wait_for_name(const Child& child, const std::string& name) {
  std::string now;
  while (now != name) {
    std::ifstream comm("/proc/" + child.pid() + "/comm");
    std::getline(comm, now);
  }
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(WhereCommand, AllShowsTheOthersWhereOneCannotBeRead) {
  const std::string name = "hn" + std::to_string(getpid());
  const Child first(name.c_str());
  const Child second(name.c_str());
  wait_for_name(first, name);
  wait_for_name(second, name);
  CommandLine line;
  ASSERT_EQ(line.run({"where", name, "--all"}), exit_done) << line.err.str();
  ASSERT_EQ(count_of(line.out.str(), "memory by node"), 2U);
  // The last read that matters is the second process's numa_maps: it has ended by then.
  bool left_out = false;
  for (auto nth = static_cast<unsigned>(line.os.count("read_file")); nth > 0 && !left_out; --nth) {
    CommandLine one_ended;
    one_ended.os.fail_call("read_file", nth, ESRCH);
    ASSERT_EQ(one_ended.run({"where", name, "--all"}), exit_done) << one_ended.err.str();
    left_out = !one_ended.err.str().empty();
    EXPECT_EQ(count_of(one_ended.out.str(), "memory by node"), left_out ? 1U : 2U);
    if (left_out) {
      EXPECT_NE(one_ended.err.str().find("process " + second.pid() + " is left out: "),
                std::string::npos);
      expect_one_line(one_ended.err.str());
    }
  }
  EXPECT_TRUE(left_out);
}

TEST(WhereCommand, FastLeavesThreadsOut) {
  const Child child;
  CommandLine line;
  ASSERT_EQ(line.run({"where", child.pid(), "--fast", "--json"}), exit_done);
  EXPECT_TRUE(nlohmann::json::parse(line.out.str())["threads"].is_null());
}

TEST(WhereCommand, ObjectsAreAskedOfTheCompanion) {
  const Child child;
  CommandLine line;
  line.run({"where", child.pid(), "--objects", "--json"});
  const Words asked = line.os.executed();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_NE(asked[0].find("homenode-profile"), std::string::npos);
  EXPECT_EQ(Words(asked.begin() + 1, asked.end()), (Words{"objects", child.pid(), "--json"}));
}

TEST(WhereCommand, WhatIsNotThereIsOneLine) {
  CommandLine line;
  for (const Words& words : {Words{"where", "999999999"}, Words{"where", "no-such-program-here"}}) {
    EXPECT_EQ(line.run(words), exit_failed);
    expect_one_line(line.err.str());
    EXPECT_TRUE(line.out.str().empty());
  }
}

TEST(WhereCommand, BadUsageIsOneLine) {
  const Child child;
  for (const Words& words :
       {Words{"where"}, Words{"where", child.pid(), "--repair", "no-such-rule@0"},
        Words{"where", child.pid(), "--repair", "local"},
        Words{"where", child.pid(), "--repair", "bind@1023"},
        Words{"where", child.pid(), "--threads", "60000"}, Words{"where", child.pid(), "--dry-run"},
        Words{"where", child.pid(), "--watch=x"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), exit_usage) << words.back();
    expect_one_line(line.err.str());
    EXPECT_EQ(line.os.count("sched_setaffinity"), 0U);
  }
}

TEST(WhereCommand, ThreadsAreBoundWithAReceipt) {
  const Child child;
  CommandLine line;
  ASSERT_EQ(line.run({"where", child.pid(), "--threads", "0", "--json"}), exit_done)
      << line.err.str();
  const auto json = nlohmann::json::parse(line.out.str());
  EXPECT_EQ(json["schema"], "homenode.where.repair/2");
  EXPECT_EQ(json["threads"][0]["bound"], true);
  EXPECT_TRUE(json["pages"].is_null());
}

TEST(WhereCommand, ThreadsMayBeBoundWhereThisCommandMayNotRun) {
  os::Linux live;
  CpuSet all;
  ASSERT_EQ(live.sched_getaffinity(0, all), 0);
  if (all.size() < 2) GTEST_SKIP() << "needs two CPUs";
  const std::vector<CpuId> cpus = all.to_vector();
  const Child child;
  ASSERT_EQ(live.sched_setaffinity(0, {cpus.front()}), 0);
  CommandLine line;
  const int code = line.run(
      {"where", child.pid(), "--threads", std::to_string(cpus.back().value()), "--dry-run"});
  ASSERT_EQ(live.sched_setaffinity(0, all), 0);
  EXPECT_EQ(code, exit_done) << line.err.str();
}

TEST(WhereCommand, TheSmallCommandHandsThreadsOn) {
  os::Fake os;
  std::ostringstream out;
  std::ostringstream err;
  Context context{os, out, err, "/usr/bin/homenode"};
  const auto verb = make_where();
  const Words given{"1", "--threads", "0-3", "--repair", "bind@0", "--json"};
  EXPECT_EQ(invoke(context, *verb, given), exit_failed)
      << "there is no homenode-native beside this test";
  Words handed_on = os.executed();
  ASSERT_GE(handed_on.size(), 2U);
  EXPECT_EQ(handed_on[1], "where");
  handed_on.erase(handed_on.begin(), handed_on.begin() + 2);
  EXPECT_EQ(handed_on, given) << "as they came, not written anew";
  EXPECT_EQ(os.count("move_pages"), 0U);
}

TEST(WhereCommand, ARefusedQueryIsOneLine) {
  const Child child;
  CommandLine line;
  line.os.fail_call("move_pages", 1, EPERM);
  EXPECT_EQ(line.run({"where", child.pid(), "--repair", "bind"}), exit_not_supported);
  expect_one_line(line.err.str());
  EXPECT_NE(line.err.str().find("CAP_SYS_NICE"), std::string::npos);
}

TEST(WhereCommand, EveryFailingCallIsToldInOneLine) {
  const Child child;
  for (int errno_value : {EACCES, ENOENT, EIO}) {
    for (unsigned nth = 1; nth < 6; ++nth) {
      CommandLine line;
      line.os.fail_call("read_file", nth, errno_value);
      const int code = line.run({"where", child.pid()});
      SCOPED_TRACE("call " + std::to_string(nth) + ", errno " + std::to_string(errno_value));
      if (code != exit_done) expect_one_line(line.err.str());
      EXPECT_EQ(code == exit_done, !line.out.str().empty());
    }
  }
}

}  // namespace
}  // namespace homenode::cli
