// `bench seismic` as a person meets it: what is refused before any memory is taken.
#include <gtest/gtest.h>

#include "fake/fake.h"
#include "support/bench_command.h"

namespace homenode::cli {
namespace {

struct Refusal {
  std::vector<std::string> words;
  int code = exit_usage;
  std::string names;  ///< What the message has to name.
  std::string available_kb = "4000000";
};

void expect_named(const Refusal& refusal) {
  os::Fake os;
  os.set_file("/proc/meminfo",
              "MemTotal: 8000000 kB\nMemAvailable: " + refusal.available_kb + " kB\n");
  std::vector<std::string> words = {"seismic"};
  words.insert(words.end(), refusal.words.begin(), refusal.words.end());
  const BenchOutcome outcome = bench_on(os, words);
  expect_refused(outcome, refusal.code);
  EXPECT_NE(outcome.err.find(refusal.names), std::string::npos) << outcome.err;
  EXPECT_EQ(os.count("map_memory"), 0U);
}

TEST(BenchSeismicCommand, WrongSizesAndCountsAreNamedBeforeMemoryIsTaken) {
  const std::vector<Refusal> wrong = {
      {{"--size", "12x13"}, exit_usage, "12x13"},
      {{"--size", "20"}, exit_usage, "20 cells along x are too few"},
      {{"--size", "2000000"}, exit_usage, "2000000 cells along x are too many"},
      {{"--size", "1000000"}, exit_usage, "cells are too many"},
      {{"--steps", "0"}, exit_usage, "step"},
      {{"--steps", "99999999"}, exit_usage, "steps are too many"},
      {{"--threads", "0"}, exit_usage, "--threads must be at least 1"},
      {{"--threads", "1000000"}, exit_usage, "1000000 threads are too many"},
      {{"--threads", "-1"}, exit_usage, "--threads"},
      {{"--runs", "0"}, exit_usage, "--runs"},
      {{"--time-block", "0"}, exit_usage, "--time-block"},
      {{"--time-block", "65"}, exit_usage, "--time-block"},
      {{"--precision", "half"}, exit_usage, "--precision"},
      {{"--strategy", "none-such"}, exit_usage, "none-such"},
      {{"--layer", "0:0:1:1"}, exit_usage, "layer 1"},
      {{"--snapshot", "waves.jpg"}, exit_usage, "waves.jpg"},
      {{"--seismogram", "/no/such/folder/felt.svg"}, exit_usage, "/no/such/folder/felt.svg"},
      {{"--output", "/no/such/folder/out.json"}, exit_usage, "/no/such/folder"}};
  for (const Refusal& refusal : wrong) expect_named(refusal);
}

TEST(BenchSeismicCommand, AGridOrRecordsBeyondTheMemoryThereIsAreNamedBeforeAnyIsTaken) {
  expect_named({{"--size", "400"}, exit_failed, "3906 MiB are available"});
  expect_named(
      {{"--size", "64", "--steps", "999999"}, exit_failed, "the receivers' records", "500000"});
}

}  // namespace
}  // namespace homenode::cli
