#include "trial/stress/plan.h"

#include <gtest/gtest.h>

#include "support/machines.h"

namespace homenode::trial {
namespace {

using workloads::stress::Pattern;

constexpr MemoryFacts plenty{4096, std::size_t{2} << 20U, Bytes{1 << 30}};

StressOptions small_blocks(Pattern pattern) {
  StressOptions options;
  options.pattern = pattern;
  options.block = 64_KiB;
  return options;
}

TEST(PlanStress, StartsOneThreadOnEachAllowedCpuNodeByNode) {
  const auto plan = plan_stress(quad_machine(), small_blocks(Pattern::neighbour), plenty);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->team.threads_on_node, (std::vector<unsigned>{2, 2, 2, 2}));
  EXPECT_EQ(plan->team.targets, (std::vector<unsigned>{1, 2, 3, 0}));
  for (unsigned thread = 0; thread < 8; ++thread) {
    EXPECT_EQ(plan->cpu_of_thread[thread], CpuId(thread));
    EXPECT_EQ(plan->start_node(thread), NodeId(thread / 2));
  }
  EXPECT_EQ(plan->all_cpus, quad_machine().allowed_cpus);
  EXPECT_EQ(plan->bytes(), 8U << 16U);
}

TEST(PlanStress, ReleasesFewerThreadsToAllCpusAllTheSame) {
  StressOptions options = small_blocks(Pattern::shared);
  options.threads_per_node = 1;
  const auto plan = plan_stress(quad_machine(), options, plenty);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->cpu_of_thread, (std::vector<CpuId>{CpuId(0), CpuId(2), CpuId(4), CpuId(6)}));
  EXPECT_EQ(plan->all_cpus.size(), 8U);
  EXPECT_EQ(plan->blocks_of_thread, (std::vector<std::vector<unsigned>>{{2}, {2}, {0}, {0}}));
}

TEST(PlanStress, TakesTheMapOverThePatternsTargets) {
  StressOptions options = small_blocks(Pattern::neighbour);
  options.map = "0:3,2:2";
  const auto plan = plan_stress(quad_machine(), options, plenty);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->team.targets, (std::vector<unsigned>{3, 2, 2, 0}));
}

TEST(PlanStress, KnowsNodesByTheirNumbers) {
  StressOptions options = small_blocks(Pattern::neighbour);
  options.map = "5:5";
  const auto plan = plan_stress(lopsided_machine(), options, plenty);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->nodes, (std::vector<NodeId>{NodeId(0), NodeId(5)}));  // Node 8 has no CPU.
  EXPECT_EQ(plan->team.targets, (std::vector<unsigned>{1, 1}));
}

TEST(PlanStress, RoundsBlocksUpToPages) {
  StressOptions options = small_blocks(Pattern::neighbour);
  options.block = Bytes{5000};
  EXPECT_EQ(plan_stress(quad_machine(), options, plenty)->block_bytes, 8192U);
  options.pages = PageKind::huge;
  EXPECT_EQ(plan_stress(quad_machine(), options, plenty)->block_bytes, 2U << 20U);
}

TEST(PlanStress, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    StressOptions options = small_blocks(Pattern::neighbour);
    change(options);
    const auto plan = plan_stress(quad_machine(), options, plenty);
    return !plan && plan.error().code == ErrorCode::bad_usage;
  };
  for (const char* map : {"0", "0:9", "9:0", "a:1", "0:1,", "0:1,,1:2", ":", "0:1;1:2"}) {
    const bool trailing = std::string_view(map) == "0:1,";  // Nothing after the comma.
    EXPECT_NE(refused([map](StressOptions& o) { o.map = map; }), trailing) << map;
  }
  for (std::size_t stride : {0U, 4U, 12U, 24U, 8192U}) {
    EXPECT_TRUE(refused([stride](StressOptions& o) { o.stride_bytes = stride; })) << stride;
  }
  EXPECT_TRUE(refused([](StressOptions& o) { o.threads_per_node = 3; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.threads_per_node = 0; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.block = 64_MiB; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.block = Bytes{~std::uint64_t{0}}; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.seconds = -1.0; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.interval_s = 0.0; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.hold_s = 1e300; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.samples = 0; }));
  EXPECT_TRUE(refused([](StressOptions& o) { o.cycles = 0; }));
}

}  // namespace
}  // namespace homenode::trial
