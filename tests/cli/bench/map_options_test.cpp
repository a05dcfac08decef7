#include "cli/bench/map.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/options.h"
#include "workloads/map/patterns/cube.h"
#include "workloads/map/patterns/line.h"

namespace homenode::cli {
namespace {

using trial::MapOptions;
using trial::Method;
using workloads::map::Operation;
using workloads::map::Order;
using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;

MapOptions parse(std::vector<std::string> words) {
  CLI::App app;
  MapOptions options;
  define_map_options(app, options);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return options;
}

TEST(Options, AreReadBackFromTheirOwnWords) {
  MapOptions all;
  all.pattern = patterns::partial;
  all.order = Order::random;
  all.operation = Operation::readwrite;
  all.method = Method::rewrite;
  all.threads = 7;
  all.size = Bytes{12345};
  all.passes = 3;
  all.overlap_percent = 50;
  all.team = trial::TeamKind::openmp;
  all.pages = trial::PageKind::huge;
  all.seed = 99;
  all.bind = "0,4,8-11";
  all.output = "a file.json";
  all.json = true;
  all.launched = true;
  EXPECT_EQ(parse(trial::to_arguments(all)), all);
  all.multi_patterns = true;
  all.pattern = patterns::shared;
  all.phases = {patterns::blocks, patterns::slabs_x};
  all.size = MapOptions{}.size;
  all.shape = workloads::map::Shape(4, 8, 16);
  EXPECT_EQ(parse(trial::to_arguments(all)), all);
  EXPECT_EQ(parse(trial::to_arguments(MapOptions{})), MapOptions{});
  EXPECT_EQ(parse({}), MapOptions{});
}

TEST(Options, HaveTheNamesOfTheirChoices) {
  EXPECT_EQ(parse({"--pattern", "interleaved"}).pattern, patterns::interleaved);
  EXPECT_EQ(parse({"--op", "write"}).operation, Operation::write);
  EXPECT_EQ(parse({"--method", "command-line"}).method, Method::command_line);
  EXPECT_EQ(parse({"--method", "default"}).method, Method::standard);
  EXPECT_EQ(parse({"--pages", "small"}).pages, trial::PageKind::small);
  EXPECT_EQ(parse({"--size", "1g"}).size, Bytes{std::uint64_t{1} << 30U});
}

TEST(Options, RefuseOtherWords) {
  EXPECT_THROW(parse({"--pattern", "spiral"}), CLI::ParseError);
  EXPECT_THROW(parse({"--size", "many"}), CLI::ParseError);
  EXPECT_THROW(parse({"--shape", "4x"}), CLI::ParseError);
  EXPECT_THROW(parse({"--shape", "4x4", "--size", "1k"}), CLI::ParseError);
  EXPECT_THROW(parse({"--phases", "divided,spiral"}), CLI::ParseError);
  EXPECT_THROW(parse({"--threads", "-1"}), CLI::ParseError);
  EXPECT_THROW(parse({"--threads", "4294967297"}), CLI::ParseError);
}

/// The message of the error that these words have when checked; empty when there is none.
std::string complaint(const std::vector<std::string>& words) {
  const auto checked = check(parse(words));
  if (checked) return {};
  EXPECT_EQ(checked.error().code, ErrorCode::bad_usage);
  return checked.error().message();
}

TEST(Check, NamesWhatMakesNoSense) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_NE(complaint({"--threads", "0"}).find("--threads must be at least 1"), std::string::npos);
  EXPECT_NE(complaint({"--threads", "4194305", "--size", "1t"}).find("4194304"), std::string::npos);
  EXPECT_NE(complaint({"--passes", "0"}).find("--passes must be at least 1"), std::string::npos);
  EXPECT_NE(complaint({"--overlap", "101"}).find("--overlap"), std::string::npos);
  EXPECT_NE(complaint({"--size", "0"}).find("--size 64"), std::string::npos);
  EXPECT_NE(complaint({"--size", "255", "--threads", "4"}).find("--size 256"), std::string::npos);
  EXPECT_EQ(complaint({"--size", "256", "--threads", "4"}), "");
  EXPECT_NE(complaint({"--output", "/no/such/folder/x"}).find("/no/such/folder"),
            std::string::npos);
}

TEST(Check, WantsBoundThreadsWhereDataGoToThem) {
  const std::vector<std::string> free{"--bind", "none", "--pattern"};
  const auto with = [&free](const std::string& pattern, const std::string& method) {
    auto words = free;
    words.insert(words.end(), {pattern, "--method", method});
    return complaint(words);
  };
  EXPECT_EQ(with("divided", "default"), "");
  EXPECT_EQ(with("shared", "api"), "");
  EXPECT_EQ(with("interleaved", "api"), "");
  EXPECT_NE(with("divided", "api"), "");
  EXPECT_NE(with("partial", "api"), "");
  EXPECT_NE(with("interleaved", "rewrite"), "");
  EXPECT_NE(with("shared", "rewrite"), "");
}

}  // namespace
}  // namespace homenode::cli
