#include "measure/derived.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/machines.h"

namespace homenode::measure {
namespace {

Summary exact(double value) {
  return {value, 0.0, value, value, 3};
}

/// Latency 100 + 10 × position; bandwidth 1000 × position + 1000, writes half.
Report made_up() {
  Report report;
  report.machine = odd_machine();
  report.plan = *make_plan(report.machine, {});
  double position = 0;
  for (NodeId from : report.plan.sources) {
    for (NodeId to : report.plan.targets) {
      const Pair pair{from, to};
      report.latency.push_back({{pair, false}, exact(100 + 10 * position)});
      report.latency.push_back({{pair, true}, exact(200 + 10 * position)});
      const double mibs = 1000 * position + 1000;
      report.bandwidth.push_back({{Kernel::read, Scope::all_cpus, pair}, 2, exact(mibs)});
      report.bandwidth.push_back({{Kernel::read, Scope::one_cpu, pair}, 1, exact(7)});
      report.bandwidth.push_back({{Kernel::write_nt, Scope::all_cpus, pair}, 2, exact(mibs / 2)});
      ++position;
    }
  }
  return report;
}

TEST(Matrices, HoldTheMediansByPair) {
  const Report report = made_up();
  EXPECT_DOUBLE_EQ(latency_matrix(report, false).at(NodeId(0), NodeId(7)), 120);
  EXPECT_DOUBLE_EQ(latency_matrix(report, true).at(NodeId(9), NodeId(0)), 320);
  EXPECT_DOUBLE_EQ(bandwidth_matrix(report, Kernel::read, Scope::all_cpus).at(NodeId(1), NodeId(0)),
                   5000);
  EXPECT_TRUE(
      std::isnan(bandwidth_matrix(report, Kernel::add, Scope::all_cpus).at(NodeId(1), NodeId(0))));
}

TEST(NumaFactors, AreRatiosToTheOwnNodeAndUnknownWithoutMemory) {
  const PairMatrix factors = numa_factors(made_up());
  EXPECT_DOUBLE_EQ(factors.at(NodeId(0), NodeId(0)), 1.0);
  EXPECT_DOUBLE_EQ(factors.at(NodeId(0), NodeId(9)), 1.3);
  EXPECT_DOUBLE_EQ(factors.at(NodeId(9), NodeId(0)), 220.0 / 250.0);
  EXPECT_TRUE(std::isnan(factors.at(NodeId(2), NodeId(0))));
}

TEST(PairValues, AreReadWriteAndTheirMeanForTheWholeMachine) {
  const auto values = pair_values(made_up());
  ASSERT_EQ(values.size(), 6U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].kind, machine::all_matrix_kinds[i]);
    EXPECT_EQ(values[i].provenance, machine::Provenance::measured);
    EXPECT_EQ(values[i].values.rows(), odd_machine().nodes_with_cpus().to_vector());
    EXPECT_EQ(values[i].values.columns(), odd_machine().nodes_with_memory().to_vector());
  }
  EXPECT_DOUBLE_EQ(values[0].values.at(NodeId(0), NodeId(0)), 150);
  EXPECT_DOUBLE_EQ(values[1].values.at(NodeId(0), NodeId(0)), 100);
  EXPECT_DOUBLE_EQ(values[3].values.at(NodeId(0), NodeId(0)), 750);
  EXPECT_DOUBLE_EQ(values[5].values.at(NodeId(0), NodeId(0)), 500);
}

TEST(PairValues, AreNotMeasuredWhereTheClockIsModelled) {
  Report report = made_up();
  report.modelled = true;
  for (const auto& values : pair_values(report)) {
    EXPECT_EQ(values.provenance, machine::Provenance::declared);
  }
}

TEST(PairValues, LeaveOutWhatWasNotMeasured) {
  Report report = made_up();
  report.plan.sources = {NodeId(1)};
  report.plan.targets = {NodeId(7)};
  std::erase_if(report.latency, [](const LatencyFigure& figure) {
    return figure.item.pair != Pair{NodeId(1), NodeId(7)};
  });
  report.bandwidth.clear();
  const auto values = pair_values(report);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_DOUBLE_EQ(values[1].values.at(NodeId(1), NodeId(7)), 160);
  EXPECT_TRUE(std::isnan(values[1].values.at(NodeId(0), NodeId(7))));
}

TEST(InterleaveWeights, ComeFirstForTheMachineThenForEachSource) {
  const auto weights = interleave_weights(made_up());
  ASSERT_EQ(weights.size(), 5U);
  EXPECT_FALSE(weights[0].from);
  EXPECT_EQ(weights[1].from, NodeId(0));
  EXPECT_EQ(
      weights[1].weights.of_node,
      (std::map<NodeId, unsigned>{{NodeId(0), 1}, {NodeId(1), 2}, {NodeId(7), 3}, {NodeId(9), 4}}));
  // The most that any node gets of each memory: 13, 14, 15 and 16 thousand, nearly the same.
  EXPECT_EQ(weights[0].weights.of_node.size(), 4U);
  EXPECT_GT(weights[0].weights.efficiency, 0.97);
}

TEST(Provenance, NamesTheMachineOfTheLab) {
  Report report = made_up();
  EXPECT_EQ(provenance(report), "measured");
  report.modelled = true;
  EXPECT_EQ(provenance(report), "modelled in the lab on odd");
}

TEST(MovedRatio, CountsTheLinesThatPlainStoresReadFirst) {
  const KernelForm plain{"avx2 x8", false};
  EXPECT_DOUBLE_EQ(moved_ratio(Kernel::read, plain), 1.0);
  EXPECT_DOUBLE_EQ(moved_ratio(Kernel::write, plain), 2.0);
  EXPECT_DOUBLE_EQ(moved_ratio(Kernel::copy, plain), 1.5);
  EXPECT_DOUBLE_EQ(moved_ratio(Kernel::triad, plain), 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(moved_ratio(Kernel::triad, {"avx2 x4, non-temporal", true}), 1.0);
}

}  // namespace
}  // namespace homenode::measure
