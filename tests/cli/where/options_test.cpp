// What command lines of `where` ask for, and which are refused.
#include "cli/where/options.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <limits>

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

Result<WhereRequest> parse(const Words& words) {
  CLI::App app;
  WhereOptions options;
  define_where_options(app, options);
  app.parse(Words(words.rbegin(), words.rend()));
  return make_where_request(
      options, {app.count("--system") > 0, app.count("--mappings") > 0, app.count("--watch") > 0});
}

WhereRequest request(const Words& words) {
  const auto result = parse(words);
  EXPECT_TRUE(result) << testing::PrintToString(words) << result.error().message();
  return result ? *result : WhereRequest();
}

TEST(WhereOptions, APlainTargetShowsGroups) {
  const WhereRequest plain = request({"1234"});
  EXPECT_EQ(plain.target, "1234");
  EXPECT_EQ(plain.mappings, 0U);
  EXPECT_FALSE(plain.watch_every);
  EXPECT_EQ(plain.groups.size(), 6U);
}

TEST(WhereOptions, ValuesMayBeLeftOut) {
  EXPECT_EQ(request({"x", "--mappings"}).mappings, std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(request({"x", "--mappings=7"}).mappings, 7U);
  EXPECT_EQ(request({"x", "--watch"}).watch_every, std::chrono::seconds(2));
  EXPECT_EQ(request({"--watch", "0.5", "x"}).watch_every, std::chrono::milliseconds(500));
}

TEST(WhereOptions, TheProcessMayStandBehindAnOptionWithoutValue) {
  const WhereRequest watched = request({"--watch", "1234"});
  EXPECT_EQ(watched.target, "1234");
  EXPECT_EQ(watched.watch_every, std::chrono::seconds(2));
  EXPECT_EQ(request({"--mappings", "postgres", "--json"}).target, "postgres");
  EXPECT_EQ(request({"--watch", "--mappings", "1234"}).target, "1234");
}

TEST(WhereOptions, AJobNeedsNoProcess) {
  EXPECT_EQ(request({"--job", "--json"}).target, "");
}

TEST(WhereOptions, RepairHasItsOwn) {
  const WhereRequest repair = request({"1", "--repair", "bind@1", "--only", "heap,files", "--rate",
                                       "200", "--at", "0x7f0000000000"});
  EXPECT_EQ(repair.groups, (std::set{sensing::Group::heap, sensing::Group::file}));
  EXPECT_EQ(repair.rate_mibs, 200);
  EXPECT_EQ(repair.at, 0x7f0000000000U);
}

TEST(WhereOptions, WhatMakesNoSenseIsRefused) {
  for (const Words& words : {Words{},
                             Words{"--job", "1"},
                             Words{"--job", "--watch"},
                             Words{"--watch"},
                             Words{"--watch", "1", "--mappings", "2"},
                             Words{"1", "--mappings=0"},
                             Words{"1", "--mappings=x"},
                             Words{"1", "--watch=0"},
                             Words{"1", "--watch=nan"},
                             Words{"1", "--watch=1e9"},
                             Words{"1", "--only", "heap"},
                             Words{"1", "--repair", "bind@1", "--only", "heaps"},
                             Words{"1", "--repair", "bind@1", "--rate", "0"},
                             Words{"1", "--repair", "bind@1", "--at", "x"},
                             Words{"1", "--repair", "bind@1", "--watch=1"},
                             Words{"1", "--threads", "0", "--all"},
                             Words{"1", "--dry-run"},
                             Words{"1", "--shared"},
                             Words{"1", "--fast", "--huge-pages"},
                             Words{"1", "--objects", "--fast"},
                             Words{"1", "--objects", "--mappings"},
                             Words{"--job", "--objects"}}) {
    const auto result = parse(words);
    ASSERT_FALSE(result) << testing::PrintToString(words);
    EXPECT_EQ(result.error().code, ErrorCode::bad_usage);
    EXPECT_FALSE(result.error().next.empty());
  }
}

}  // namespace
}  // namespace homenode::cli
