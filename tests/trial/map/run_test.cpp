#include "trial/map/run.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "cli/bench/map_render.h"
#include "fake/fake.h"
#include "machine/load.h"
#include "os/linux.h"
#include "support/machines.h"
#include "workloads/map/patterns/line.h"

namespace homenode::trial {
namespace {

using cli::map_json;
using cli::map_text;

using workloads::map::Operation;
using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;

MapOptions two_passes_of(MapPattern pattern, Method method) {
  MapOptions options;
  options.pattern = pattern;
  options.method = method;
  options.size = 1_MiB;
  options.passes = 2;
  return options;
}

Result<MapReport> run(os::Os& os, const machine::Machine& machine, const MapOptions& options) {
  const auto plan = plan_map(machine, options, memory_facts(os));
  if (!plan) return plan.as_unexpected();
  return run_map(os, machine, *plan);
}

TEST(RunMap, MakesTheMatrixDiagonalByPagesPlacedFromInside) {
  os::Fake os(quad_kernel());
  for (Method method : {Method::api, Method::rewrite}) {
    const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, method));
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_TRUE(report->access);
    EXPECT_DOUBLE_EQ(access::local_share(report->access->by_node), 1.0);
    EXPECT_EQ(access::total(report->access->by_node), (access::Counts{2 * 16384, 0}));
    ASSERT_TRUE(report->phases[0].receipt);
    EXPECT_EQ(report->phases[0].receipt->as_planned, report->phases[0].receipt->pages);
  }
}

TEST(RunMap, SetsAnInterleavePolicyOnTheRegion) {
  os::Fake os(quad_kernel());
  const auto report = run(os, quad_machine(), two_passes_of(patterns::interleaved, Method::api));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(os.count("mbind"), 1U);
  EXPECT_FALSE(report->phases[0].receipt);
}

TEST(RunMap, SetsNoPolicyByDefault) {
  os::Fake os(quad_kernel());
  ASSERT_TRUE(run(os, quad_machine(), two_passes_of(patterns::divided, Method::standard)));
  EXPECT_EQ(os.count("mbind"), 0U);
  EXPECT_EQ(os.count("set_mempolicy"), 0U);
}

TEST(RunMap, LeavesNoMappingAndTheCallersCpusAsTheyWere) {
  os::Fake os(quad_kernel());
  CpuSet before{CpuId(3), CpuId(4)};
  ASSERT_EQ(os.sched_setaffinity(0, before), 0);
  ASSERT_TRUE(run(os, quad_machine(), two_passes_of(patterns::divided, Method::api)));
  CpuSet after;
  ASSERT_EQ(os.sched_getaffinity(0, after), 0);
  EXPECT_EQ(after, before);
  EXPECT_EQ(os.mappings(), 0U);
}

struct Fault {
  const char* call;
  unsigned nth;
  int errno_value;
};

TEST(RunMap, TurnsEveryRefusalIntoAnErrorAndLeavesNoMapping) {
  for (const Fault& fault : {Fault{"map_memory", 1, ENOMEM}, Fault{"sched_setaffinity", 1, EINVAL},
                             Fault{"sched_setaffinity", 4, EINVAL},
                             Fault{"advise_memory", 1, EINVAL}, Fault{"mbind", 1, EPERM}}) {
    SCOPED_TRACE(fault.call);
    os::Fake os(quad_kernel());
    MapOptions options = two_passes_of(patterns::interleaved, Method::api);
    options.pages = PageKind::huge;
    os.fail_call(fault.call, fault.nth, fault.errno_value);
    const auto report = run(os, quad_machine(), options);
    EXPECT_TRUE(os.has_failed());
    ASSERT_FALSE(report);
    EXPECT_FALSE(report.error().next.empty());
    EXPECT_EQ(os.mappings(), 0U);
  }
}

TEST(RunMap, StillTimesWhereTheKernelRefusesTheAudit) {
  os::Fake os(quad_kernel());
  os.fail_call("move_pages", 1, EPERM);
  const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, Method::standard));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_FALSE(report->access);
  ASSERT_TRUE(report->audit_error);
  EXPECT_GT(report->seconds, 0.0);
  EXPECT_NE(map_text(*report).find("no matrix: "), std::string::npos);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  EXPECT_TRUE(json["matrices"].is_null());
  EXPECT_EQ(json["not_audited"], report->audit_error->message());
}

TEST(RunMap, RunsEveryPatternWithBothTeamsOnTheLiveMachine) {
  os::Linux os;
  const auto machine = machine::load_live();
  ASSERT_TRUE(machine);
  for (TeamKind team : {TeamKind::pthreads, TeamKind::openmp}) {
    for (MapPattern pattern :
         {patterns::shared, patterns::divided, patterns::interleaved, patterns::partial}) {
      MapOptions options = two_passes_of(pattern, Method::standard);
      options.team = team;
      options.threads = 3;
      options.bind = "none";
      options.operation = Operation::readwrite;
      const auto report = run(os, *machine, options);
      ASSERT_TRUE(report) << report.error().message();
      if (!report->phases[0].audit) GTEST_SKIP() << report->audit_error->message();
      std::uint64_t expected = 0;
      for (const ThreadRecord& thread : report->threads) expected += 2 * thread.elements;
      ASSERT_TRUE(report->access);
      EXPECT_EQ(access::total(report->access->by_node), (access::Counts{expected, expected}));
      EXPECT_EQ(report->access->accesses_without_node, 0U);
    }
  }
}

TEST(MapJson, SaysWhatRanAndWhoUsedWhat) {
  os::Fake os(quad_kernel());
  const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, Method::api));
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  EXPECT_EQ(json["schema"], "homenode.bench.map/1");
  EXPECT_EQ(json["options"]["pattern"], "divided");
  EXPECT_EQ(json["options"]["method"], "api");
  EXPECT_EQ(json["options"]["threads"], 8);
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
  MapOptions options = two_passes_of(patterns::divided, Method::standard);
  options.launched = true;
  const auto report = run(os, quad_machine(), options);
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(map_json(quad_machine(), *report));
  EXPECT_EQ(json["options"]["method"], "command-line");
  EXPECT_NE(map_text(*report).find("method command-line"), std::string::npos);
}

TEST(MapText, ShowsTheMatrixTheSharesAndTheTime) {
  os::Fake os(quad_kernel());
  const auto report = run(os, quad_machine(), two_passes_of(patterns::divided, Method::api));
  ASSERT_TRUE(report);
  const std::string text = map_text(*report);
  EXPECT_NE(text.find("       2      -      -  25.00      -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("local share          100.00 %"), std::string::npos);
  EXPECT_NE(text.find("host clock"), std::string::npos);
}

}  // namespace
}  // namespace homenode::trial
