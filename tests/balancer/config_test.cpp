#include "balancer/config.h"

#include <gtest/gtest.h>

#include <random>

#include "fake/fake.h"

namespace homenode::balancer {
namespace {

std::string complaint_of(const std::string& text) {
  const auto config = config_in(text);
  EXPECT_FALSE(config) << text;
  return config ? "" : config.error().message();
}

TEST(BalancerConfig, AnEmptyFileChangesNothing) {
  const auto config = config_in("\n  \n# least-cpus = 7\n");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->limits.least_cpus, balance::Limits{}.least_cpus);
  EXPECT_FALSE(config->interval_s || config->burst_s || config->overhead);
  EXPECT_TRUE(config->only.users.empty() && config->never.programs.empty());
}

TEST(BalancerConfig, SetsNumbersSizesSharesAndLists) {
  const auto config = config_in(
      "interval = 2.5\noverhead=3%\nleast-memory = 1g # of a process\r\nwindows =3\n"
      "most-cost-share = 2%\nleast-gain = 0.1\nonly-user = alice\nonly-user = 1000\n"
      "never-cgroup = /system.slice\nnever-program = a-name-of-more-than-15-bytes\n");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->interval_s, 2.5);
  EXPECT_DOUBLE_EQ(*config->overhead, 0.03);
  EXPECT_EQ(config->limits.least_memory.value, std::uint64_t{1} << 30U);
  EXPECT_EQ(config->limits.windows, 3);
  EXPECT_DOUBLE_EQ(config->limits.most_cost_share, 0.02);
  EXPECT_EQ(config->limits.least_gain, 0.1);
  EXPECT_EQ(config->only.users, (std::vector<std::string>{"alice", "1000"}));
  EXPECT_EQ(config->never.cgroups, std::vector<std::string>{"/system.slice"});
  EXPECT_EQ(config->never.programs, std::vector<std::string>{"a-name-of-more-"});
}

TEST(BalancerConfig, SaysWhichLineIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(complaint_of("\nintervall = 5"),
            "line 2: there is no setting 'intervall'; did you mean 'interval'?");
  EXPECT_NE(complaint_of("xyzzy = 5").find("homenode-balance(5)"), std::string::npos);
  EXPECT_NE(complaint_of("interval").find("write NAME = VALUE"), std::string::npos);
  EXPECT_NE(complaint_of("interval =").find("has no value"), std::string::npos);
  EXPECT_NE(complaint_of("interval = 1\ninterval = 2").find("line 2: interval is set twice"),
            std::string::npos);
  EXPECT_NE(complaint_of("windows = 0").find("a whole number from 1 to 100"), std::string::npos);
  EXPECT_NE(complaint_of("least-cpus = -1").find("at least 0"), std::string::npos);
  EXPECT_NE(complaint_of("least-gain = 6%%").find("'6%%' is no value of least-gain"),
            std::string::npos);
  EXPECT_NE(complaint_of("least-memory = much").find("a size such as 64M"), std::string::npos);
  EXPECT_NE(complaint_of("never-cgroup = system.slice").find("no path"), std::string::npos);
  for (const char* no_number : {"nan", "inf", "1e400", "0x1", "1 2", "\x01"}) {
    EXPECT_NE(complaint_of(std::string("decay = ") + no_number).find("of decay"),
              std::string::npos);
  }
}

TEST(BalancerConfig, NoTextBringsItDownAndEachComplaintIsALine) {
  std::mt19937 random(20);
  const std::string letters = "interval-wosdcy=#%0123456789.\n\r\t \x01\xff";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const auto length = random() % 60;
    for (unsigned at = 0; at < length; ++at) text += letters[random() % letters.size()];
    const auto config = config_in(text);
    if (config) continue;
    EXPECT_EQ(config.error().message().find('\n'), std::string::npos) << text;
    EXPECT_FALSE(config.error().next.empty());
  }
}

TEST(BalancerConfig, NamesTheFileThatIsMissingOrWrong) {
  os::Fake kernel;
  kernel.set_file("/etc/balance.conf", "windows = many");
  const auto wrong = read_config(kernel, "/etc/balance.conf");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().tried.find("/etc/balance.conf, line 1: "), 0U);
  kernel.fail_call("read_file", 1, EACCES);
  const auto missing = read_config(kernel, "/etc/balance.conf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().errno_value, EACCES);
  EXPECT_EQ(missing.error().code, ErrorCode::failed);
}

}  // namespace
}  // namespace homenode::balancer
