// `bench npb` as a person meets it: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/dispatch.h"
#include "os/linux.h"

namespace homenode::cli {
namespace {

struct Said {
  int code = 0;
  std::string out;
  std::string err;
};

Said npb(std::vector<std::string> words) {
  os::Linux os;
  std::ostringstream out;
  std::ostringstream err;
  Context context{os, out, err, "homenode"};
  words.insert(words.begin(), {"bench", "npb"});
  const int code = dispatch(context, words);
  return {code, out.str(), err.str()};
}

TEST(BenchNpb, ListsKernelsWithTheMemoryOfEachClass) {
  const Said said = npb({"--list"});
  EXPECT_EQ(said.code, exit_done);
  EXPECT_NE(said.out.find("class D"), std::string::npos);
  EXPECT_NE(said.out.find("80.0 GiB"), std::string::npos);  // FT's, by its formula.
}

TEST(BenchNpb, VerifiesARunAndSaysSoInJson) {
  const Said said = npb({"is", "--class", "s", "--threads", "2", "--strategy", "round-robin",
                         "--runs", "2", "--peer", "echo Mop/s total = 5", "--json"});
  ASSERT_EQ(said.code, exit_done) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["schema"], "homenode.bench.npb/1");
  EXPECT_EQ(json["what"], (nlohmann::json{{"kernel", "is"}, {"class", "S"}}));
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["verified"], true);
  EXPECT_EQ(json["runs"][1]["checks"].size(), 51U);
  EXPECT_EQ(json["peers"][0]["runs"].size(), 2U);
  EXPECT_EQ(json["peers"][0]["runs"][0]["rate"], 5.0);
}

TEST(BenchNpb, NamesWhatIsWrongInOneLine) {
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"zz"},
      {"cg", "--class", "Q"},
      {"cg", "--threads", "0"},
      {"cg", "--threads", "1000000"},
      {"cg", "--strategy", "everywhere"},
      {"cg", "--runs", "0"},
      {"cg", "--output", "/nowhere/at/all.json"},
  };
  for (const auto& words : wrong) {
    const Said said = npb(words);
    EXPECT_EQ(said.code, exit_usage) << said.err;
    EXPECT_TRUE(said.err.starts_with("homenode bench npb: ")) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

TEST(BenchNpb, FailsWithAPeerThatFails) {
  const Said said = npb({"is", "--threads", "1", "--peer", "exit 4"});
  EXPECT_EQ(said.code, exit_failed);
  EXPECT_NE(said.err.find("exit code 4"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
