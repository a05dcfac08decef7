// `bench numa-mem` as a person meets it: words in, text and an exit code out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/bench_command.h"

namespace homenode::cli {
namespace {

TEST(NumaMemCommand, TakesPerfsLetters) {
  const BenchOutcome outcome =
      bench({"numa-mem", "-p", "2", "-t1", "-G", "0", "-P", "0.25", "-l", "2", "-s", "0", "-zqS",
             "-H", "-1", "--no-data_rand_walk", "-u", "1", "--json"});
  ASSERT_EQ(outcome.code, exit_done) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "homenode.bench.numa-mem/2");
  EXPECT_EQ(json["tasks"].size(), 2U);
  EXPECT_EQ(json["tasks"][1]["loops"], 2);
  EXPECT_EQ(json["options"]["random"], false);
  EXPECT_EQ(json["options"]["init"], "zeros");
  EXPECT_EQ(json["options"]["thp"], -1);
  EXPECT_EQ(json["data_total_bytes"], 2 * 2 * 262144.0);
  EXPECT_EQ(json["verified"], true);
}

TEST(NumaMemCommand, ShowsFiguresThreadsAndLooksAsAsked) {
  const BenchOutcome all = bench({"numa-mem", "-l", "1", "-dc"});
  ASSERT_EQ(all.code, exit_done) << all.err;
  for (const char* word :
       {"total-speed", "host clock", "pages at the end", "user s", "converged"}) {
    EXPECT_NE(all.out.find(word), std::string::npos) << word << '\n' << all.out;
  }
  const BenchOutcome quiet = bench({"numa-mem", "-l", "1", "-q"});
  EXPECT_EQ(quiet.out.find("pages at the end"), std::string::npos);
}

TEST(NumaMemCommand, RefusesNonsenseInOneLine) {
  expect_bad_usage({{"numa-mem", "-p", "0"},
                    {"numa-mem", "-G", "0"},
                    {"numa-mem", "-C", "0x99"},
                    {"numa-mem", "-G", "1e8"},
                    {"numa-mem", "--strategy", "best"}});
  EXPECT_NE(bench({"numa-mem", "--strategy", "best"}).err.find(", none"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
