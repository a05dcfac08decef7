#include "workloads/chase/chase.h"

#include <gtest/gtest.h>

#include "workloads/probe_memory.h"

namespace homenode::workloads::chase {
namespace {

TEST(Chase, ComesByEveryLineAndBack) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    const auto program = make_chase({1001, 3, 7});
    const ProgramOutcome outcome = run_probe(*program, threads);
    EXPECT_TRUE(outcome.verified()) << threads;
    EXPECT_DOUBLE_EQ(outcome.operations, 3003.0);
    EXPECT_DOUBLE_EQ(outcome.checks[1].value, 1001.0);
  }
}

TEST(Chase, TakesAsFewLinesAsThreads) {
  EXPECT_TRUE(run_probe(*make_chase({3, 1, 1}), 3).verified());
}

}  // namespace
}  // namespace homenode::workloads::chase
