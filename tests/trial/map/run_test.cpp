#include "trial/map/run.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake/fake.h"
#include "machine/load.h"
#include "os/linux.h"
#include "support/machines.h"
#include "trial/memory.h"
#include "workloads/map/patterns/line.h"

namespace homenode::trial {
namespace {

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

}  // namespace
}  // namespace homenode::trial
