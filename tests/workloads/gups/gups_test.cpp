#include "workloads/gups/gups.h"

#include <gtest/gtest.h>

#include "workloads/gups/random_stream.h"
#include "workloads/probe_memory.h"

namespace homenode::workloads::gups {
namespace {

TEST(RandomStream, JumpsToWhereStepsLead) {
  std::uint64_t value = 1;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    ASSERT_EQ(at(k), value) << k;
    value = next(value);
  }
  EXPECT_EQ(next(at(123456789012345)), at(123456789012346));
}

TEST(RandomStream, ComesBackAfterItsPeriod) {
  // The period that the specification states.
  EXPECT_EQ(at(1317624576693539401U), 1U);
}

TEST(Gups, LosesNothingWithOneThread) {
  const auto program = make_gups({12, 4});
  const ProgramOutcome outcome = run_probe(*program, 1);
  EXPECT_TRUE(outcome.verified());
  EXPECT_DOUBLE_EQ(outcome.checks[0].value, 0.0);
  EXPECT_DOUBLE_EQ(outcome.checks[0].tolerance, 0.0);
  EXPECT_DOUBLE_EQ(outcome.operations, 4.0 * 4096);
}

TEST(Gups, SharesTheUpdatesAmongThreads) {
  for (const unsigned threads : {2U, 3U}) {
    // So large that two threads hardly ever meet.
    const auto program = make_gups({18, 1});
    EXPECT_TRUE(run_probe(*program, threads).verified()) << threads;
  }
}

}  // namespace
}  // namespace homenode::workloads::gups
