// stat, status and syscall of threads, with names that try to be something else.
#include "sensing/thread_files.h"

#include <gtest/gtest.h>

#include "base/id_list.h"
#include "captured.h"

namespace homenode::sensing {
namespace {

TEST(ThreadFiles, StatGivesWhereAThreadRan) {
  const auto stat = parse_stat(stat_line({.id = 42, .name = "worker", .started = 777, .cpu = 65}));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->id, 42);
  EXPECT_EQ(stat->name, "worker");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->started, 777U);
  EXPECT_EQ(stat->last_cpu, CpuId(65));
  EXPECT_EQ(stat->threads, 4U);
  EXPECT_EQ(stat->resident_pages, 2048U);
  EXPECT_FALSE(stat->of_kernel || stat->ended);
}

TEST(ThreadFiles, NamesMayHoldBracketsBlanksAndLines) {
  for (const char* name : {"a b", "a) R 1", "(x)", "a\nb", ")", ""}) {
    const auto stat = parse_stat(stat_line({.id = 7, .name = name, .started = 5, .cpu = 3}));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->started, 5U);
    EXPECT_EQ(stat->last_cpu, CpuId(3));
  }
}

TEST(ThreadFiles, WhatIsNoStatIsNothing) {
  const std::string line = stat_line({.id = 42, .name = "w", .started = 7, .cpu = 1});
  for (const std::string& text : {std::string(), std::string("42"), std::string("42 (w"),
                                  std::string("x (w) S 1"), line.substr(0, line.size() / 2)}) {
    EXPECT_FALSE(parse_stat(text)) << text;
  }
}

TEST(ThreadFiles, StatusGivesWhatIsAllowed) {
  const auto limits = parse_status(status_text("0-3,64-71", "0,8,250"));
  EXPECT_EQ(to_list(limits.cpus), "0-3,64-71");
  EXPECT_EQ(to_list(limits.memory_nodes), "0,8,250");
  EXPECT_TRUE(parse_status("Name:\tx\nCpus_allowed_list:\tzzz\n").cpus.empty());
}

TEST(ThreadFiles, TheStackPointerStandsBeforeTheLastWord) {
  EXPECT_EQ(stack_pointer_in("232 0x7 0x7ffe 0x20 0x1 0x0 0x0 0x7f11aa00 0x7f22bb00\n"),
            0x7f11aa00U);
  EXPECT_EQ(stack_pointer_in("-1 0x7f11aa00 0x7f22bb00\n"), 0x7f11aa00U);
  EXPECT_EQ(stack_pointer_in("running\n"), std::nullopt);
  EXPECT_EQ(stack_pointer_in(""), std::nullopt);
}

}  // namespace
}  // namespace homenode::sensing
