// The message-driven benches: what a person meets, and where messages are put.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "fake/fake.h"
#include "support/bench_command.h"
#include "support/machines.h"
#include "trial/message/run.h"
#include "workloads/message/kneighbor.h"

namespace homenode::cli {
namespace {

namespace message = workloads::message;

const std::vector<std::vector<std::string>> small_benches{
    {"kneighbor", "--iterations", "2", "--steps", "5"},
    {"molecular2d", "--particles", "100", "--steps", "5"},
};

TEST(Messages, AreVerifiedUnderEveryRuleAndStrategy) {
  const std::vector<std::vector<std::string>> placements{
      {"--messages", "sender"},
      {"--messages", "receiver", "--strategy", "round-robin"},
      {"--messages", "first-touch"},
      {"--messages", "strategy", "--strategy", "memory-bind"},
      {"--messages", "malloc", "--strategy", "first-touch"},
      {"--messages", "malloc", "--bind", "none"},
      {"--as-published"}};
  for (const auto& small : small_benches) {
    for (const auto& placement : placements) {
      auto words = small;
      words.insert(words.end(), placement.begin(), placement.end());
      words.insert(words.end(), {"--threads", "3", "--json"});
      const BenchOutcome outcome = bench(words);
      EXPECT_EQ(outcome.code, exit_done) << placement.back() << ": " << outcome.err;
      const auto json = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(json["schema"], "homenode.bench." + small[0] + "/2");
      EXPECT_EQ(json["thread_places"].size(), 3U);
      EXPECT_FALSE(json["runs"][0]["figures"].empty());
    }
  }
}

TEST(Messages, RefuseBadUsageInOneLineBeforeAnythingRuns) {
  expect_bad_usage({
      {"kneighbor", "--threads", "0"},
      {"kneighbor", "--threads", "4000000000"},
      {"kneighbor", "--runs", "0"},
      {"kneighbor", "--elements", "0"},
      {"kneighbor", "--elements", "4000000000"},
      {"kneighbor", "--neighbours", "0"},
      {"kneighbor", "--neighbours", "4000000000"},
      {"kneighbor", "--iterations", "0"},
      {"kneighbor", "--steps", "4000000000"},
      {"kneighbor", "--message-size", "12"},
      {"kneighbor", "--message-size", "0"},
      {"kneighbor", "--message-size", "16000000t"},
      {"kneighbor", "--messages", "nowhere"},
      {"kneighbor", "--messages", "strategy"},
      {"kneighbor", "--bind", "9999"},
      {"kneighbor", "--bind", "0", "--strategy", "first-touch"},
      {"kneighbor", "--bind", "none", "--strategy", "first-touch"},
      {"kneighbor", "--bind", "none", "--messages", "receiver"},
      {"molecular2d", "--threads", "0"},
      {"molecular2d", "--columns", "2"},
      {"molecular2d", "--rows", "4000000000"},
      {"molecular2d", "--particles", "0"},
      {"molecular2d", "--particles", "4000000000"},
      {"molecular2d", "--steps", "0"},
  });
}

TEST(Messages, NameTooLittleMemoryBeforeTheyAllocateIt) {
  const BenchOutcome outcome = bench({"kneighbor", "--message-size", "1g", "--elements", "60000"});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("MiB"), std::string::npos) << outcome.err;
}

message::KNeighborShape ring_of_eight() {
  message::KNeighborShape shape;
  shape.layout.pes = 8;
  shape.elements = 8;
  shape.iterations = 2;
  shape.steps = 2;
  return shape;
}

TEST(RunMessages, PutsEachPageOnTheNodeOfThePeThatTheRuleNames) {
  for (const trial::MessageRule rule : {trial::MessageRule::sender, trial::MessageRule::receiver}) {
    os::Fake os(quad_kernel());
    const auto program = message::make_kneighbor(ring_of_eight());
    const auto setup = trial::plan_messages(quad_machine(), {8, "none", 1}, rule, "");
    ASSERT_TRUE(setup) << setup.error().message();
    std::map<NodeId, std::size_t> wanted;
    for (const message::Channel& channel : program->channels()) {
      const unsigned pe = rule == trial::MessageRule::sender ? channel.from : channel.to;
      wanted[NodeId(pe / 2)] += channel.bytes / 4096;
    }
    const auto report = trial::run_messages(os, quad_machine(), *program, *setup);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(trial::check_verified(*report, "ring"));
    const trial::ProgramRun& run = report->runs.front();
    EXPECT_EQ(run.arrays.back().audit->pages_on_node, wanted);
    const workloads::Figure& figure = run.outcome.figures.back();
    EXPECT_EQ("of " + std::to_string(static_cast<int>(figure.value)), figure.unit);
    EXPECT_EQ(report->arrays.back().receipt->refused, 0U);
    for (unsigned pe = 0; pe < 8; ++pe) EXPECT_EQ(report->threads[pe].cpu, CpuId(pe));
  }
}

TEST(RunMessages, GivesTheCallerItsCpusAndItsPolicyBack) {
  os::Fake os(quad_kernel());
  CpuSet before;
  ASSERT_EQ(os.sched_getaffinity(0, before), 0);
  const auto program = message::make_kneighbor(ring_of_eight());
  const auto setup = trial::plan_messages(quad_machine(), {8, "round-robin", 1},
                                          trial::MessageRule::first_touch, "");
  ASSERT_TRUE(trial::run_messages(os, quad_machine(), *program, *setup));
  CpuSet after;
  int mode = -1;
  NodeSet nodes;
  EXPECT_EQ(os.sched_getaffinity(0, after), 0);
  EXPECT_EQ(os.get_mempolicy(mode, nodes), 0);
  EXPECT_EQ(after, before);
  EXPECT_EQ(mode, 0);
}

TEST(RunMessages, BindsPesAsAskedWithTheirMessagesBesideThem) {
  const auto setup =
      trial::plan_messages(quad_machine(), {4, "none", 1}, trial::MessageRule::sender, "7,0,2,4");
  ASSERT_TRUE(setup) << setup.error().message();
  EXPECT_EQ(setup->homes, (std::vector<NodeId>{NodeId(3), NodeId(0), NodeId(1), NodeId(2)}));
  EXPECT_EQ(setup->cpus[0], CpuSet{CpuId(7)});
}

TEST(RunMessages, BindsNobodyWhereAskedNotTo) {
  os::Fake os(quad_kernel());
  const auto program = message::make_kneighbor(ring_of_eight());
  const auto setup =
      trial::plan_messages(quad_machine(), {8, "none", 1}, trial::MessageRule::first_touch, "none");
  ASSERT_TRUE(setup) << setup.error().message();
  const auto report = trial::run_messages(os, quad_machine(), *program, *setup);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(trial::check_verified(*report, "ring"));
  // The caller gets its CPUs back all the same.
  EXPECT_EQ(std::ranges::count(os.calls(), "sched_setaffinity"), 1);
}

TEST(RunMessages, PutsMessagesOnTheNearestMemoryOfAPeWhoseNodeHasNone) {
  const auto setup =
      trial::plan_messages(lopsided_machine(), {4, "none", 1}, trial::MessageRule::sender, "");
  ASSERT_TRUE(setup) << setup.error().message();
  EXPECT_EQ(setup->homes, (std::vector<NodeId>{NodeId(8), NodeId(8), NodeId(5), NodeId(5)}));
}

}  // namespace
}  // namespace homenode::cli
