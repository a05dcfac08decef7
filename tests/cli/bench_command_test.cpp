// The verb as a person meets it: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/dispatch.h"
#include "os/fake.h"
#include "os/linux.h"

namespace homenode::cli {
namespace {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome bench_on(os::Os& os, std::vector<std::string> words) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{os, out, err, "homenode"};
  words.insert(words.begin(), "bench");
  const int code = dispatch(context, words);
  return {code, out.str(), err.str()};
}

Outcome bench(const std::vector<std::string>& words) {
  os::Linux os;
  return bench_on(os, words);
}

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
  const Outcome outcome = bench({"--list"});
  EXPECT_EQ(outcome.code, exit_done);
  EXPECT_TRUE(outcome.out.starts_with("map "));
}

TEST(Bench, RefusesBadUsageInOneLineBeforeAnythingRuns) {
  const std::vector<std::vector<std::string>> wrong{
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
  };
  for (const auto& words : wrong) {
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.code, exit_usage) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("homenode bench")) << outcome.err;
  }
}

TEST(Bench, PrintsATableOrJson) {
  const std::vector<std::string> words{"map", "--size", "64k", "--threads", "2"};
  const Outcome text = bench(words);
  EXPECT_EQ(text.code, exit_done) << text.err;
  EXPECT_TRUE(text.out.starts_with("MAP-numa 1D: shared")) << text.out;
  EXPECT_EQ(text.out.find("not bound"), std::string::npos);
  auto unbound = words;
  unbound.insert(unbound.end(), {"--bind", "none"});
  EXPECT_NE(bench(unbound).out.find("not bound"), std::string::npos);
  auto with_json = words;
  with_json.emplace_back("--json");
  const Outcome json = bench(with_json);
  EXPECT_EQ(json.code, exit_done) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["options"]["size"], 65536);
}

TEST(Bench, StartsItselfUnderTheLauncherForTheCommandLineMethod) {
  os::Fake os;
  const Outcome outcome = bench_on(
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
  const Outcome outcome = bench({"map", "--size", "64k", "--output", file.string()});
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  std::ifstream in(file);
  EXPECT_EQ(nlohmann::json::parse(in)["schema"], "homenode.bench.map/1");
  EXPECT_EQ(files(), 1U);
}

TEST_F(BenchOutput, FailsWithoutLeavingAPartWhenItCannotBeWritten) {
  const auto in_the_way = folder_ / "a-folder";
  std::filesystem::create_directories(in_the_way / "not-empty");
  const Outcome outcome = bench({"map", "--size", "64k", "--output", in_the_way.string()});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("cannot write"), std::string::npos);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace homenode::cli
