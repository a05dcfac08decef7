#include "workloads/stream/stream.h"

#include <gtest/gtest.h>

#include "workloads/probe_memory.h"

namespace homenode::workloads::stream {
namespace {

TEST(Stream, IsVerifiedForEveryShapeAndAnyThreads) {
  for (const TeamShape team : {TeamShape::nested, TeamShape::twisted, TeamShape::imbalanced}) {
    for (const unsigned threads : {1U, 2U, 3U, 5U}) {
      const auto program = make_stream({64 * 50, 10, threads == 1 ? 1U : 2U, team, {}});
      const ProgramOutcome outcome = run_probe(*program, threads);
      EXPECT_TRUE(outcome.verified()) << threads << ": " << outcome.checks[0].value;
      EXPECT_DOUBLE_EQ(outcome.operations, 10.0 * 80 * 64 * 50);
    }
  }
}

TEST(Stream, RunsOneLoopAlone) {
  for (const probe::Kernel kernel :
       {probe::Kernel::copy, probe::Kernel::scale, probe::Kernel::add, probe::Kernel::triad}) {
    const auto program = make_stream({64 * 4, 3, 1, TeamShape::nested, kernel});
    EXPECT_TRUE(run_probe(*program, 2).verified());
  }
}

TEST(Stream, ExpectsWhatTheSpecificationMakes) {
  // c = 1; b = 3; c = 1 + 3; a = 3 + 3 * 4.
  const Values values = expected_values({64, 1, 1, TeamShape::nested, {}});
  EXPECT_DOUBLE_EQ(values.a, 15.0);
  EXPECT_DOUBLE_EQ(values.b, 3.0);
  EXPECT_DOUBLE_EQ(values.c, 4.0);
  EXPECT_TRUE(std::isfinite(expected_values({64, most_passes, 1, TeamShape::nested, {}}).a));
}

}  // namespace
}  // namespace homenode::workloads::stream
