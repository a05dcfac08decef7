// The verb as a person meets it: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fake/fake.h"
#include "support/bench_command.h"

namespace homenode::cli {
namespace {

/// A folder that is gone after the test.
class BenchOutput : public testing::Test {
 protected:
  BenchOutput() : folder_(std::filesystem::path(testing::TempDir()) / "homenode-bench-output") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~BenchOutput() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST(Bench, ListsItsWorkloads) {
  const BenchOutcome outcome = bench({"--list"});
  EXPECT_EQ(outcome.code, exit_done);
  EXPECT_TRUE(outcome.out.starts_with("map "));
}

TEST(Bench, RefusesBadUsageInOneLineBeforeAnythingRuns) {
  expect_bad_usage({
      {},
      {"nothing"},
      {"map", "--threads", "0"},
      {"map", "--passes", "0"},
      {"map", "--size", "64", "--threads", "2"},
      {"map", "--size", "16000000t"},
      {"map", "--overlap", "200"},
      {"map", "--pattern", "spiral"},
      {"map", "--bind", "none", "--method", "rewrite"},
      {"map", "--bind", "65000"},
      {"map", "--output", "/no/such/folder/file"},
      {"map", "--no-such-option"},
  });
}

TEST(Bench, PrintsATableOrJson) {
  const std::vector<std::string> words{"map", "--size", "64k", "--threads", "2"};
  const BenchOutcome text = bench(words);
  EXPECT_EQ(text.code, exit_done) << text.err;
  EXPECT_TRUE(text.out.starts_with("MAP-numa 1D: shared")) << text.out;
  EXPECT_EQ(text.out.find("not bound"), std::string::npos);
  auto unbound = words;
  unbound.insert(unbound.end(), {"--bind", "none"});
  EXPECT_NE(bench(unbound).out.find("not bound"), std::string::npos);
  auto with_json = words;
  with_json.emplace_back("--json");
  const BenchOutcome json = bench(with_json);
  EXPECT_EQ(json.code, exit_done) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["options"]["size_bytes"], 65536);
}

TEST(Bench, StartsItselfUnderTheLauncherForTheCommandLineMethod) {
  os::Fake os;
  const BenchOutcome outcome = bench_on(
      os, {"map", "--method", "command-line", "--size", "64k", "--threads", "2", "--json"});
  EXPECT_EQ(outcome.code, exit_failed);  // The model starts nothing.
  const auto words = os.executed();
  ASSERT_GT(words.size(), 7U);
  const std::string& self = words[0];
  EXPECT_EQ(std::vector<std::string>(words.begin() + 1, words.begin() + 7),
            (std::vector<std::string>{"run", "--interleave=all", "--", self, "bench", "map"}));
  const auto has = [&words](const std::string& option, const std::string& value) {
    const auto found = std::find(words.begin(), words.end(), option);
    return found != words.end() && found + 1 != words.end() && *(found + 1) == value;
  };
  EXPECT_TRUE(has("--method", "default"));
  EXPECT_TRUE(has("--size", "65536"));
  EXPECT_TRUE(has("--threads", "2"));
  EXPECT_NE(std::find(words.begin(), words.end(), "--json"), words.end());
  EXPECT_NE(std::find(words.begin(), words.end(), "--launched"), words.end());
}

TEST_F(BenchOutput, IsWrittenWholeOverAnOldFile) {
  const auto file = folder_ / "result.json";
  std::ofstream(file) << "old";
  const BenchOutcome outcome = bench({"map", "--size", "64k", "--output", file.string()});
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  std::ifstream in(file);
  EXPECT_EQ(nlohmann::json::parse(in)["schema"], "homenode.bench.map/2");
  EXPECT_EQ(files(), 1U);
}

TEST_F(BenchOutput, FailsWithoutLeavingAPartWhenItCannotBeWritten) {
  const auto in_the_way = folder_ / "a-folder";
  std::filesystem::create_directories(in_the_way / "not-empty");
  const BenchOutcome outcome = bench({"map", "--size", "64k", "--output", in_the_way.string()});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("cannot write"), std::string::npos);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace homenode::cli
