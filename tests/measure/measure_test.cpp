#include "measure/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "fake_clock.h"
#include "measure/derived.h"
#include "support/machines.h"

namespace homenode::measure {
namespace {

/// The fake kernel of odd_machine(), with files that make it independent of this machine.
struct Bench {
  os::Fake os{odd_kernel()};
  Bench() {
    os.set_root("/nonexistent");
    os.set_file("/proc/meminfo", "MemAvailable: 4194304 kB\n");
  }
  Result<Report> run(os::Clock& clock, const Request& request = {}) {
    return measure_machine({os, clock, {}}, odd_machine(), request);
  }
};

const BandwidthFigure* find(const Report& report, const BandwidthItem& item) {
  const auto found = std::find_if(report.bandwidth.begin(), report.bandwidth.end(),
                                  [&](const auto& figure) { return figure.item == item; });
  return found == report.bandwidth.end() ? nullptr : &*found;
}

TEST(Measure, FindsEveryPlannedFigureOnAModelledClock) {
  Bench bench;
  FakeClock clock(millisecond_ps);
  Request request;
  request.quick = true;
  const auto report = bench.run(clock, request);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->modelled);
  EXPECT_EQ(provenance(*report), "modelled in the lab on odd");
  EXPECT_EQ(report->latency.size(), report->plan.latency.size());
  EXPECT_EQ(report->bandwidth.size(), report->plan.bandwidth.size());
  EXPECT_EQ(report->together.size(), report->plan.together.size());
  EXPECT_EQ(report->loaded.size(), 16U);
  for (const LatencyFigure& figure : report->latency) {
    EXPECT_DOUBLE_EQ(figure.ns.median, 250.0);  // A millisecond for 4000 steps.
    EXPECT_EQ(figure.ns.runs, 3U);
    EXPECT_FALSE(is_noisy(figure.ns));
  }
  const Pair pair{NodeId(2), NodeId(7)};
  // 2 MiB by each CPU in a millisecond, whatever the number of arrays, but for some lines that are
  // left out, so that arrays and their parts are no powers of two apart.
  EXPECT_NEAR(find(*report, {Kernel::read, Scope::one_cpu, pair})->mibs.median, 2000, 1);
  EXPECT_NEAR(find(*report, {Kernel::read, Scope::all_cpus, pair})->mibs.median, 4000, 8);
  EXPECT_NEAR(find(*report, {Kernel::triad, Scope::all_cpus, pair})->mibs.median, 4000, 8);
  // The model knows lines alone, so nothing is tried.
  EXPECT_EQ(find(*report, {Kernel::triad, Scope::all_cpus, pair})->form.name,
            workloads::probe::variants_of(Kernel::triad).front().name());
  for (const TogetherFigure& figure : report->together) {
    const bool local = figure.item.kind == Together::local;
    EXPECT_EQ(figure.cpus, local ? 6U : 8U);  // Node 2 has no memory of its own.
    EXPECT_NEAR(figure.mibs.median, 2000.0 * static_cast<double>(figure.cpus), 40);
  }
}

TEST(Measure, ReadsLinesFromOtherCpusCaches) {
  Bench bench;
  FakeClock clock(millisecond_ps);
  Request request;
  request.latency = request.bandwidth = request.loaded = request.weights = false;
  request.cores = true;
  const auto report = bench.run(clock, request);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->cores.size(), report->plan.cores.size());
  EXPECT_EQ(report->cores.size(), 8U * 7U);
  for (const CoreFigure& figure : report->cores) {
    EXPECT_DOUBLE_EQ(figure.ns.median, 1e6 / 128);  // A millisecond for 128 lines.
  }
  const auto matrix = core_matrix(*report);
  EXPECT_TRUE(std::isnan(matrix.at(CpuId(0), CpuId(0))));
  EXPECT_DOUBLE_EQ(matrix.at(CpuId(0), CpuId(1)), 1e6 / 128);
  EXPECT_DOUBLE_EQ(core_means(*report).at(NodeId(0), NodeId(9)), 1e6 / 128);
  EXPECT_DOUBLE_EQ(*median_in_node(*report), 1e6 / 128);
}

TEST(Measure, LoadsWithTheOtherCpusOfTheNode) {
  Bench bench;
  FakeClock clock(millisecond_ps);
  Request request;
  request.latency = request.bandwidth = request.weights = false;
  const auto report = bench.run(clock, request);
  ASSERT_TRUE(report) << report.error().message();
  for (const LoadedCurve& curve : report->loaded) {
    EXPECT_EQ(curve.injecting_cpus, 1U);
    ASSERT_EQ(curve.points.size(), report->plan.idle_rounds.size());
    for (const LoadedPoint& point : curve.points) EXPECT_DOUBLE_EQ(point.latency_ns.median, 250.0);
  }
}

TEST(Measure, ChoosesBytesByTimeOnARealClock) {
  Bench bench;
  FakeClock clock(millisecond_ps, false);
  Request request;
  request.quick = true;
  request.from = request.to = NodeSet{NodeId(0)};
  const auto report = bench.run(clock, request);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_FALSE(report->modelled);
  EXPECT_EQ(provenance(*report), "measured");
  // A run may take 100 times what the first one took: 200 000 steps, and the whole array.
  EXPECT_NEAR(report->latency.front().ns.median, 5.0, 0.001);
  const Pair pair{NodeId(0), NodeId(0)};
  EXPECT_NEAR(find(*report, {Kernel::read, Scope::one_cpu, pair})->mibs.median, 4000, 1);
}

TEST(Measure, LeavesTheCallersCpusAlone) {
  Bench bench;
  bench.os.sched_setaffinity(0, CpuSet{CpuId(4)});
  FakeClock clock(millisecond_ps);
  Request request;
  request.bandwidth = request.loaded = request.weights = false;
  ASSERT_TRUE(bench.run(clock, request));
  CpuSet cpus;
  bench.os.sched_getaffinity(0, cpus);
  EXPECT_EQ(cpus, CpuSet{CpuId(4)});
  EXPECT_EQ(bench.os.mappings(), 0U);
}

TEST(Measure, SaysHowFarItIs) {
  Bench bench;
  FakeClock clock(millisecond_ps);
  Request request;
  request.quick = true;
  std::vector<std::size_t> done;
  std::size_t figures = 0;
  const SayProgress say = [&](const Progress& progress) {
    done.push_back(progress.done);
    figures = progress.figures;
  };
  const auto report = measure_machine({bench.os, clock, say}, odd_machine(), request);
  ASSERT_TRUE(report);
  EXPECT_EQ(done.size(), figures);
  EXPECT_EQ(done.back(), figures);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(Measure, AClockThatStandsStillIsAnError) {
  Bench bench;
  FakeClock clock(0);
  const auto report = bench.run(clock);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message().find("the clock stood still"), std::string::npos);
}

TEST(Measure, NotesPagesThatAreElsewhere) {
  os::FakeMachine model = odd_kernel();
  model.memory.free_pages[NodeId(9)] = 100;
  os::Fake os(model);
  os.set_root("/nonexistent");
  FakeClock clock(millisecond_ps);
  Request request;
  request.to = NodeSet{NodeId(9)};
  request.bandwidth = request.loaded = request.weights = false;
  const auto report = measure_machine({os, clock, {}}, odd_machine(), request);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->memory.size(), 1U);
  EXPECT_GT(report->memory[0].elsewhere, 0U);
  const auto& note = report->notes.back();
  EXPECT_NE(note.find("pages for node 9 are elsewhere"), std::string::npos) << note;
}

TEST(Measure, EveryRefusedCallEndsInAnErrorOrAReport) {
  Request request;
  request.quick = true;
  request.from = request.to = NodeSet{NodeId(0)};
  request.bandwidth = request.loaded = request.weights = false;
  unsigned nth = 1;
  for (bool failed = true; failed; ++nth) {
    ASSERT_LT(nth, 100U);
    Bench bench;
    bench.os.fail_call("", nth, EPERM);
    FakeClock clock(millisecond_ps);
    const auto report = bench.run(clock, request);
    failed = bench.os.has_failed();
    if (!report) {
      EXPECT_FALSE(report.error().message().empty());
    } else {
      EXPECT_EQ(report->latency.size(), 2U);
    }
  }
  EXPECT_GT(nth, 8U);
}

TEST(Measure, NamesAFormOfTheInstructionSetThatWasAskedFor) {
  Bench bench;
  for (const workloads::probe::KernelSet& set : workloads::probe::kernel_sets()) {
    if (!set.supported()) continue;
    FakeClock clock(millisecond_ps, false);
    Request request;
    request.quick = true;
    request.latency = request.loaded = request.weights = false;
    request.from = request.to = NodeSet{NodeId(0)};
    request.isa = set.name;
    const auto report = bench.run(clock, request);
    ASSERT_TRUE(report) << report.error().message();
    for (const BandwidthFigure& figure : report->bandwidth) {
      EXPECT_TRUE(figure.form.name.starts_with(std::string(set.name) + " x")) << figure.form.name;
      EXPECT_EQ(figure.form.past_caches, figure.form.name.find("non-temp") != std::string::npos);
    }
  }
}

TEST(Measure, NamesTheKernelsThatThereAre) {
  Bench bench;
  FakeClock clock(millisecond_ps);
  Request request;
  request.isa = "mmx";
  const auto report = bench.run(clock, request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::bad_usage);
  EXPECT_NE(report.error().message().find("'mmx'"), std::string::npos);
}

}  // namespace
}  // namespace homenode::measure
