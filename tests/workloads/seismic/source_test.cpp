// Where sources act and how they grow.
#include "workloads/seismic/source.h"

#include <gtest/gtest.h>

#include <cmath>

namespace homenode::workloads::seismic {
namespace {

TEST(SeismicTaps, APointThatIsANodeIsThatNodeAlone) {
  for (const Component component : {Component::vx, Component::vy, Component::syz}) {
    const std::vector<Tap> found = taps(component, node_of(component, {3, 4, 5}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].cell, (std::array<std::ptrdiff_t, 3>{3, 4, 5}));
    EXPECT_EQ(found[0].weight, 1.0);
  }
}

TEST(SeismicTaps, AnyPointIsTheWeightedMeanOfItsTaps) {
  const Point point = {7.3, 2.9, 11.25};
  for (std::size_t c = 0; c < component_count; ++c) {
    const auto component = static_cast<Component>(c);
    Point mean{};
    double weight = 0.0;
    for (const Tap& tap : taps(component, point)) {
      const Point node = node_of(component, tap.cell);
      for (std::size_t axis = 0; axis < 3; ++axis) mean[axis] += tap.weight * node[axis];
      weight += tap.weight;
    }
    EXPECT_NEAR(weight, 1.0, 1e-12);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(mean[axis], point[axis], 1e-12);
  }
}

TEST(SeismicTimeFunction, RateAndSlopeAreTheDerivativesOfTheMoment) {
  using Kind = TimeFunction::Kind;
  for (const Kind kind : {Kind::gaussian, Kind::pulse, Kind::brune}) {
    const TimeFunction f{kind, 0.3, 0.1};
    const double h = 1e-5;
    for (const double t : {0.05, 0.25, 0.31, 0.4, 0.7}) {
      EXPECT_NEAR((f.moment(t + h) - f.moment(t - h)) / (2 * h), f.rate(t), 1e-6);
      EXPECT_NEAR((f.rate(t + h) - f.rate(t - h)) / (2 * h), f.slope(t), 1e-4);
    }
  }
}

TEST(SeismicTimeFunction, SamplesHoldUntilTheNext) {
  const TimeFunction f{TimeFunction::Kind::held, 1.0, 0.0, 0.5, {2.0, 4.0}};
  EXPECT_EQ(f.rate(0.9), 0.0);
  EXPECT_EQ(f.rate(1.2), 2.0);
  EXPECT_EQ(f.rate(1.7), 4.0);
  EXPECT_EQ(f.rate(2.1), 0.0);
  EXPECT_DOUBLE_EQ(f.moment(1.75), 2.0);
  EXPECT_DOUBLE_EQ(f.moment(9.0), 3.0);
}

TEST(SeismicSource, ADoubleCoupleHasNoTraceAndAUnitMoment) {
  const Moment m = double_couple(50, 20, 30);
  EXPECT_NEAR(m[0] + m[1] + m[2], 0.0, 1e-12);
  const double squares =
      m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + 2 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
  EXPECT_NEAR(squares, 2.0, 1e-12);
}

TEST(SeismicSource, AVerticalFaultToTheNorthSlipsInTheHorizontalPlane) {
  const Moment m = double_couple(0, 90, 0);  // North is x, and west, not east, is y.
  for (const std::size_t other : {0U, 1U, 2U, 4U, 5U}) EXPECT_NEAR(m[other], 0.0, 1e-12);
  EXPECT_NEAR(m[3], -1.0, 1e-12);
}

TEST(SeismicSource, PairsOfForcesPushNothingAndTurnNothing) {
  Source source{{10.2, 9, 8.5}, double_couple(50, 20, 30)};
  source.forces = true;
  std::array<double, 3> force{};
  std::array<std::array<double, 3>, 3> couple{};  // Of forces (first) along an arm (second).
  for (const Injection& injection : injections(source)) {
    const auto c = static_cast<std::size_t>(injection.component);
    const Point node = node_of(injection.component, injection.tap.cell);
    force[c] += injection.tap.weight;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      couple[c][axis] += injection.tap.weight * (node[axis] - source.point[axis]);
    }
  }
  const Moment& m = source.moment_nm;
  const std::array<std::array<double, 3>, 3> tensor = {{{m[0], m[3], m[4]},  //
                                                        {m[3], m[1], m[5]},
                                                        {m[4], m[5], m[2]}}};
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(force[c], 0.0, 1e-12);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(couple[c][axis], tensor[c][axis], 1e-12);
    }
  }
}

}  // namespace
}  // namespace homenode::workloads::seismic
