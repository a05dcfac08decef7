#include "model/rates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/machines.h"

namespace homenode::model {
namespace {

constexpr double mib = 1024 * 1024;

TEST(Rates, AreTheMachinesFigures) {
  const machine::Machine machine = three_nodes();
  ASSERT_TRUE(machine::is_valid(machine));
  const Rates rates = *rates_of(machine);
  EXPECT_EQ(rates.cpu_nodes, (std::vector{node0, node4}));
  EXPECT_EQ(rates.memory_nodes, (std::vector{node0, node4, node7}));
  EXPECT_DOUBLE_EQ(rates.latency_s->at(node4, node7), 400e-9);
  EXPECT_EQ(rates.path->at(node0, node4), (Bandwidth{4000 * mib, 2000 * mib}));
  EXPECT_EQ(rates.controller(node7), (Bandwidth{2000 * mib, 1000 * mib}));
  EXPECT_TRUE(rates.assumptions.empty());
}

TEST(Rates, FollowFromDistancesWhereAPairIsNotKnown) {
  machine::Machine machine = three_nodes();
  machine.pair_values[0].values.at(node0, node7) = std::nan("");
  machine.pair_values[1].values.at(node0, node7) = std::nan("");
  const Rates rates = *rates_of(machine);
  EXPECT_DOUBLE_EQ(rates.latency_s->at(node0, node7), 200e-9);  // 100 ns x 20 / 10
  EXPECT_DOUBLE_EQ(rates.path->at(node0, node7).read, 4000 * mib);
  EXPECT_EQ(rates.assumptions.size(), 2U);
}

TEST(Rates, AreMissingWhereNobodySaysAny) {
  machine::Machine machine = three_nodes();
  machine.pair_values.clear();
  machine.distances.reset();
  const Rates rates = *rates_of(machine);
  EXPECT_FALSE(rates.latency_s);
  EXPECT_FALSE(rates.path);
  EXPECT_EQ(rates.distance.at(node0, node4), 20);
  EXPECT_EQ(rates.distance.at(node0, node0), 10);
}

TEST(NearestMemory, IsTheNodesOwnElseTheNearestThatIsAllowed) {
  const Rates rates = *rates_of(three_nodes());
  EXPECT_EQ(rates.nearest_memory(node4), node4);
  EXPECT_EQ(rates.nearest_memory(node4, {node0, node7}), node0);
  EXPECT_EQ(rates.nearest_memory(node7), node7);
}

}  // namespace
}  // namespace homenode::model
