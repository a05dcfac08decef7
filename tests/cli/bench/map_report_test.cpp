// What `bench map` shows of a run, for people and for programs.
#include "cli/bench/map.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "fake/fake.h"
#include "support/machines.h"
#include "trial/memory.h"
#include "workloads/map/patterns/line.h"

namespace homenode::cli {
namespace {

using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;

trial::MapOptions two_passes_of(MapPattern pattern, trial::Method method) {
  trial::MapOptions options;
  options.pattern = pattern;
  options.method = method;
  options.size = 1_MiB;
  options.passes = 2;
  return options;
}

Result<trial::MapReport> run(os::Os& os, const machine::Machine& machine,
                             const trial::MapOptions& options) {
  const auto plan = trial::plan_map(machine, options, trial::memory_facts(os));
  if (!plan) return plan.as_unexpected();
  return trial::run_map(os, machine, *plan);
}

TEST(MapReport, SaysWhyThereIsNoMatrixWhereTheKernelRefusesTheAudit) {
  os::Fake os(quad_kernel());
  os.fail_call("move_pages", 1, EPERM);
  const auto report =
      run(os, quad_machine(), two_passes_of(patterns::divided, trial::Method::standard));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_NE(map_text(*report).find("no matrix: "), std::string::npos);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  for (const char* key : {"matrices", "thread_matrices", "expected", "penalty", "local_share"}) {
    ASSERT_TRUE(json.contains(key)) << key;
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["not_audited"], report->audit_error->message());
}

TEST(MapJson, SaysWhatRanAndWhoUsedWhat) {
  os::Fake os(quad_kernel());
  const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, trial::Method::api));
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  EXPECT_EQ(json["schema"], "homenode.bench.map/2");
  EXPECT_EQ(json["options"]["pattern"], "divided");
  EXPECT_EQ(json["options"]["method"], "api");
  EXPECT_EQ(json["options"]["threads"], 8);
  EXPECT_EQ(json["options"]["size_bytes"], 8 * 2048 * 64);
  EXPECT_TRUE(json["not_audited"].is_null());
  EXPECT_EQ(json["seconds"]["clock"], "host clock");
  EXPECT_EQ(json["machine"]["nodes"].size(), 4U);
  EXPECT_EQ(
      json["threads"][7],
      (nlohmann::json{{"rank", 7}, {"cpu", 7}, {"node", 3}, {"bound", true}, {"elements", 2048}}));
  EXPECT_EQ(json["memory"]["pages_on_node"]["3"], 64);
  EXPECT_EQ(json["matrices"]["provenance"], "computed");
  EXPECT_EQ(json["matrices"]["nodes"], (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(json["matrices"]["reads"][1], (std::vector<int>{0, 8192, 0, 0}));
  EXPECT_EQ(json["matrices"]["writes"][1], (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(json["thread_matrices"]["reads"][7], (std::vector<int>{0, 0, 0, 4096}));
  EXPECT_EQ(json["local_share"], 1.0);
  EXPECT_EQ(json["column_concentration"], 0.25);
}

TEST(MapJson, NamesTheMethodOfAProgramThatWasLaunchedInterleaved) {
  os::Fake os(quad_kernel());
  trial::MapOptions options = two_passes_of(patterns::divided, trial::Method::standard);
  options.launched = true;
  const auto report = run(os, quad_machine(), options);
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  EXPECT_EQ(json["options"]["method"], "command-line");
  EXPECT_NE(map_text(*report).find("method command-line"), std::string::npos);
}

TEST(MapText, ShowsTheMatrixTheSharesAndTheTime) {
  os::Fake os(quad_kernel());
  const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, trial::Method::api));
  ASSERT_TRUE(report);
  const std::string text = map_text(*report);
  EXPECT_NE(text.find("       2      -      -  25.00      -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("local share          100.00 %"), std::string::npos);
  EXPECT_NE(text.find("host clock"), std::string::npos);
}

/// Four nodes at distance 20 from each other.
machine::Machine quad_with_distances() {
  auto machine = quad_machine();
  const auto ids = machine.node_ids().to_vector();
  machine.distances = machine::Distances{Matrix<NodeId, NodeId>(ids, ids, 20.0)};
  for (NodeId id : ids) machine.distances->values.at(id, id) = 10;
  return machine;
}

TEST(MapReport, ShowsEachPhase) {
  os::Fake os(quad_kernel());
  trial::MapOptions options;
  options.multi_patterns = true;
  options.method = trial::Method::api;
  options.shape = workloads::map::Shape(64, 512);
  const auto report = run(os, quad_with_distances(), options);
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(map_json(quad_with_distances(), *report));
  EXPECT_EQ(json["options"]["pattern"], "multi-patterns");
  EXPECT_EQ(json["options"]["shape"], "64x512");
  ASSERT_EQ(json["phases"].size(), 3U);
  EXPECT_EQ(json["phases"][1]["pattern"], "2d-columns");
  EXPECT_EQ(json["phases"][1]["grid"], (std::vector<int>{1, 1, 8}));
  EXPECT_EQ(json["phases"][1]["change"]["did"], "moved");
  EXPECT_EQ(json["phases"][1]["penalty"]["leakage"], 0.0);
  EXPECT_TRUE(json["phases"][0]["change"].is_null());
  EXPECT_EQ(json["expected"]["provenance"], "pattern");
  // Of ten walks over the whole two are at home and eight flat over four nodes.
  EXPECT_NEAR(json["expected"]["shares"][1][1].get<double>(), (2.0 / 4 + 8.0 / 16) / 10, 1e-12);
  std::uint64_t reads = 0;
  for (const auto& row : json["matrices"]["reads"]) {
    for (const auto& cell : row) reads += cell.get<std::uint64_t>();
  }
  EXPECT_EQ(reads, 64U * 512 * (1 + 1 + 8));
  const std::string text = map_text(*report);
  EXPECT_NE(text.find("2d-shared-rows"), std::string::npos);
  EXPECT_NE(text.find("pages moved in"), std::string::npos);
}

}  // namespace
}  // namespace homenode::cli
