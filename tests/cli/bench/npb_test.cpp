// `bench npb` as a person meets it: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/bench_command.h"

namespace homenode::cli {
namespace {

TEST(BenchNpb, ListsKernelsWithTheMemoryOfEachClass) {
  const BenchOutcome outcome = bench({"npb", "--list"});
  EXPECT_EQ(outcome.code, exit_done);
  EXPECT_NE(outcome.out.find("class D"), std::string::npos);
  EXPECT_NE(outcome.out.find("80.0 GiB"), std::string::npos);  // FT's, by its formula.
}

TEST(BenchNpb, VerifiesARunAndSaysSoInJson) {
  const BenchOutcome outcome =
      bench({"npb", "is", "--class", "s", "--threads", "2", "--strategy", "round-robin", "--runs",
             "2", "--peer", "echo Mop/s total = 5", "--json"});
  ASSERT_EQ(outcome.code, exit_done) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "homenode.bench.npb/2");
  EXPECT_EQ(json["what"], (nlohmann::json{{"kernel", "is"}, {"class", "S"}}));
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["verified"], true);
  EXPECT_EQ(json["runs"][1]["checks"].size(), 51U);
  EXPECT_EQ(json["peers"][0]["runs"].size(), 2U);
  EXPECT_EQ(json["peers"][0]["runs"][0]["rate"], 5.0);
}

TEST(BenchNpb, NamesWhatIsWrongInOneLine) {
  expect_bad_usage({
      {"npb"},
      {"npb", "zz"},
      {"npb", "cg", "--class", "Q"},
      {"npb", "cg", "--threads", "0"},
      {"npb", "cg", "--threads", "1000000"},
      {"npb", "cg", "--strategy", "everywhere"},
      {"npb", "cg", "--runs", "0"},
      {"npb", "cg", "--output", "/nowhere/at/all.json"},
  });
  EXPECT_TRUE(bench({"npb", "zz"}).err.starts_with("homenode bench npb: "));
}

TEST(BenchNpb, FailsWithAPeerThatFails) {
  const BenchOutcome outcome = bench({"npb", "is", "--threads", "1", "--peer", "exit 4"});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("exit code 4"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
