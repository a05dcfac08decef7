#include "placement/policies/weights.h"

#include <gtest/gtest.h>

#include <limits>

namespace homenode::placement {
namespace {

using Bandwidths = std::map<NodeId, double>;
using Numbers = std::map<NodeId, unsigned>;

TEST(Weights, AreOnesForEqualNodes) {
  const Weights weights = best_weights({{NodeId(0), 5000.0}, {NodeId(3), 5000.0}});
  EXPECT_EQ(weights.of_node, (Numbers{{NodeId(0), 1}, {NodeId(3), 1}}));
  EXPECT_DOUBLE_EQ(weights.efficiency, 1.0);
  EXPECT_DOUBLE_EQ(weights.plain_efficiency, 1.0);
}

TEST(Weights, AreTheSmallestNumbersOfTheRatio) {
  const Weights weights =
      best_weights({{NodeId(0), 30000.0}, {NodeId(1), 30000.0}, {NodeId(2), 10000.0}});
  EXPECT_EQ(weights.of_node, (Numbers{{NodeId(0), 3}, {NodeId(1), 3}, {NodeId(2), 1}}));
  EXPECT_DOUBLE_EQ(weights.efficiency, 1.0);
  // Plain: three pages in the time that the slowest node takes for one.
  EXPECT_DOUBLE_EQ(weights.plain_efficiency, 3.0 * 10000 / 70000);
}

TEST(Weights, StopWhereLittleIsLeftToGain) {
  const Weights weights = best_weights({{NodeId(0), 1010.0}, {NodeId(1), 1000.0}});
  EXPECT_EQ(weights.of_node, (Numbers{{NodeId(0), 1}, {NodeId(1), 1}}));
  EXPECT_GE(weights.efficiency, 1 - accepted_loss);
}

TEST(Weights, StayWithinTheKernelsLimits) {
  const Weights weights = best_weights({{NodeId(0), 1e6}, {NodeId(1), 1.0}});
  EXPECT_EQ(weights.of_node.at(NodeId(1)), 1U);
  EXPECT_LE(weights.of_node.at(NodeId(0)), largest_kernel_weight);
  EXPECT_GE(weights.efficiency, weights.plain_efficiency);
}

TEST(Weights, LoseNoMoreThanAcceptedForOrdinaryRatios) {
  for (double other = 500; other <= 10000; other += 117) {
    const Weights weights = best_weights({{NodeId(0), 10000.0}, {NodeId(1), other}});
    EXPECT_GE(weights.efficiency, 1 - accepted_loss) << other;
    EXPECT_LE(weights.efficiency, 1 + 1e-12) << other;
  }
}

TEST(Weights, LeaveUnknownNodesOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Weights weights =
      best_weights({{NodeId(0), 100.0}, {NodeId(1), nan}, {NodeId(2), 0.0}, {NodeId(5), 50.0}});
  EXPECT_EQ(weights.of_node, (Numbers{{NodeId(0), 2}, {NodeId(5), 1}}));
  EXPECT_TRUE(best_weights({}).of_node.empty());
}

}  // namespace
}  // namespace homenode::placement
