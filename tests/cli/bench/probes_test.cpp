// The probes as a person meets them: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/bench/table.h"
#include "support/bench_command.h"

namespace homenode::cli {
namespace {

const std::vector<std::vector<std::string>> small_probes{
    {"stream", "--size", "1m", "--passes", "2"},
    {"stream", "--size", "1m", "--teams", "2", "--team-shape", "twisted", "--kernel", "triad"},
    {"gups", "--size", "1m"},
    {"chase", "--size", "64k"},
    {"gather", "--count", "1000", "--pattern", "MS1:8:4:20"},
    {"gather", "--count", "1000", "--kernel", "scatter"},
};

TEST(Probes, AreVerifiedUnderStrategies) {
  for (auto words : small_probes) {
    for (const char* strategy : {"none", "round-robin"}) {
      words.insert(words.end(), {"--threads", "2", "--strategy", strategy, "--json"});
      const BenchOutcome outcome = bench(words);
      EXPECT_EQ(outcome.code, exit_done) << words[0] << ": " << outcome.err;
      const auto json = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(json["schema"], "homenode.bench." + words[0] + "/2");
      words.resize(words.size() - 5);
    }
  }
}

TEST(Probes, RefuseBadUsageInOneLineBeforeAnythingRuns) {
  expect_bad_usage({
      {"stream", "--size", "1"},
      {"stream", "--passes", "0"},
      {"stream", "--passes", "201"},
      {"stream", "--teams", "0"},
      {"stream", "--teams", "3", "--threads", "2"},
      {"stream", "--team-shape", "odd"},
      {"gups", "--size", "3m"},
      {"gups", "--size", "1k"},
      {"gups", "--updates", "0"},
      {"chase", "--size", "64", "--threads", "2"},
      {"chase", "--passes", "0"},
      {"gather", "--pattern", "UNIFORM"},
      {"gather", "--count", "0"},
      {"gather", "--delta", "18446744073709551615"},
      {"gather", "--passes", "0"},
      {"stress", "--cycles", "0"},
      {"stress", "--map", "0:77"},
      {"stress", "--block", "16000000t"},
  });
}

TEST(Probes, NameTooLittleMemoryBeforeTheyAllocateIt) {
  for (const char* probe : {"stream", "gups", "chase"}) {
    const BenchOutcome outcome = bench({probe, "--size", "1t"});
    EXPECT_NE(outcome.code, exit_done);
    EXPECT_NE(outcome.err.find("MiB"), std::string::npos) << outcome.err;
  }
}

TEST(GatherFile, IsRunPatternByPattern) {
  const std::string file = testing::TempDir() + "/homenode-patterns.json";
  std::ofstream(file) << R"([{"pattern": [0, 3], "count": 9}, {"pattern": [1], "count": 5}])";
  const BenchOutcome all = bench({"gather", "--file", file, "--json"});
  EXPECT_EQ(all.code, exit_done) << all.err;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 2);
  const BenchOutcome one = bench({"gather", "--file", file, "--entry", "1", "--json"});
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 1);
  EXPECT_EQ(bench({"gather", "--file", file, "--entry", "2"}).code, exit_usage);
  EXPECT_EQ(bench({"gather", "--file", "/no/such/file"}).code, exit_failed);
  std::remove(file.c_str());
}

TEST(BenchList, HasEveryWorkloadWithItsSource) {
  const std::string list = bench({"--list"}).out;
  for (const BenchWorkload& workload : bench_workloads()) {
    const workloads::Description description = workload.describe();
    EXPECT_NE(list.find(description.name + " "), std::string::npos) << description.name;
    EXPECT_NE(list.find("source   " + description.source), std::string::npos) << description.name;
  }
}

TEST(BenchDescribe, RunsNothingAndPrintsWhatWasAskedFor) {
  const BenchOutcome text = bench({"npb", "--describe"});
  EXPECT_EQ(text.code, exit_done) << text.err;
  EXPECT_NE(text.out.find("cg                 Smallest eigenvalue"), std::string::npos) << text.out;
  const BenchOutcome json = bench({"stream", "--describe", "--json"});
  EXPECT_EQ(json.out.find(R"({"schema":"homenode.bench.describe/1","name":"stream")"), 0U);
}

}  // namespace
}  // namespace homenode::cli
