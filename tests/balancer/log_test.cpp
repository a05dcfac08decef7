#include "balancer/log.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake/fake.h"

namespace homenode::balancer {
namespace {

TEST(BalancerLog, WritesNothingWithoutAFile) {
  os::Fake kernel;
  Log log(kernel, "");
  EXPECT_TRUE(log.open());
  EXPECT_TRUE(log.add("line\n"));
  EXPECT_TRUE(kernel.calls().empty());
}

TEST(BalancerLog, EndsOnceWhereTheDiskIsFull) {
  os::Fake kernel;
  kernel.set_disk_bytes(8);
  Log log(kernel, "/log");
  ASSERT_TRUE(log.open());
  EXPECT_TRUE(log.add("line 1\n"));
  const auto cut = log.add("line 2\n");
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message().find("free space"), std::string::npos);
  EXPECT_TRUE(log.add("line 3\n")) << "it is said once";
  EXPECT_EQ(kernel.count("append_file"), 2U);
  EXPECT_EQ(kernel.count("close_file"), 1U);
}

TEST(BalancerLog, GoesOnAfterASignal) {
  os::Fake kernel;
  Log log(kernel, "/log");
  ASSERT_TRUE(log.open());
  kernel.fail_call("append_file", 1, EINTR);
  EXPECT_TRUE(log.add("line\n"));
  std::string text;
  ASSERT_EQ(kernel.read_file("/log", text), 0);
  EXPECT_EQ(text, "line\n");
}

TEST(BalancerLog, NamesAFileThatCannotBeMade) {
  os::Fake kernel;
  kernel.fail_call("open_appended", 1, EROFS);
  const auto opened = Log(kernel, "/log").open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().errno_value, EROFS);
}

}  // namespace
}  // namespace homenode::balancer
