#include "workloads/seismic/ladder.h"

#include <cmath>

#include "workloads/seismic/closed_form.h"

namespace homenode::workloads::seismic {
namespace {

/// Directions in which no component of either source's motion vanishes by symmetry alone.
constexpr std::array<Point, 6> directions = {Point{0.8, 0.6, 0.0},     Point{-0.6, 0.0, 0.8},
                                             Point{0.0, 0.8, -0.6},    Point{0.48, 0.64, 0.6},
                                             Point{-0.6, 0.64, -0.48}, Point{0.64, -0.48, 0.6}};

/// What each receiver records of a motion that is given for an offset (m) and an axis.
template <class Motion>
std::vector<std::vector<double>> traces_of(const Scene& scene, const Motion& motion) {
  std::vector<std::vector<double>> traces;
  for (const Receiver& receiver : scene.receivers) {
    std::vector<double> trace(scene.steps);
    for (const Tap& tap : taps(receiver.component, receiver.point)) {
      const Point node = node_of(receiver.component, tap.cell);
      std::array<double, 3> offset_m{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        offset_m[axis] = (node[axis] - scene.sources.front().point[axis]) * scene.spacing_m;
      }
      const auto at_node = motion(offset_m, static_cast<std::size_t>(receiver.component));
      for (std::size_t n = 0; n < trace.size(); ++n) trace[n] += tap.weight * at_node[n];
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace

void place_full_space_points(Scene& scene, const Source& source, double distance_m) {
  scene.sources = {source};
  const double distance = distance_m / scene.spacing_m;
  for (const Point& direction : directions) {
    Point point = source.point;
    for (std::size_t axis = 0; axis < 3; ++axis) point[axis] += distance * direction[axis];
    for (const Component component : {Component::vx, Component::vy, Component::vz}) {
      scene.receivers.push_back({component, point});
    }
  }
}

Scene full_space(const FullSpace& problem) {
  Scene scene;
  const auto inner = static_cast<std::size_t>(std::lround(problem.extent_m / problem.spacing_m));
  scene.absorbing_cells = problem.absorbing_cells;
  scene.reflection = problem.reflection;
  scene.cells.fill(inner + 2 * scene.absorbing_cells + 1);
  scene.spacing_m = problem.spacing_m;
  scene.layers = {Layer{}};
  scene.step_s = problem.courant * problem.spacing_m / scene.layers[0].p_m_s;
  scene.steps = static_cast<std::size_t>(std::lround(problem.seconds / scene.step_s));
  scene.frequency_hz = 1.0 / (4.0 * problem.width_s);
  Source source;
  const Component seat = problem.explosion ? Component::sxx : Component::sxy;
  const auto middle = static_cast<std::ptrdiff_t>(scene.cells[0] / 2);
  source.point = node_of(seat, {middle, middle, middle});
  source.moment_nm = problem.explosion ? explosion : strike_slip;
  for (double& moment : source.moment_nm) moment *= 1e15;
  // Begun any later, the cut-off head of the bell would be a click, heard in the finest grids.
  source.time = {problem.kind, 6.0 * problem.width_s, problem.width_s};
  place_full_space_points(scene, source, problem.distance_m);
  return scene;
}

std::vector<std::vector<double>> exact_traces(const Scene& scene) {
  return traces_of(scene, [&](const std::array<double, 3>& offset_m, std::size_t axis) {
    std::vector<double> trace;
    for (std::size_t step = 0; step < scene.steps; ++step) {
      const double time_s = (static_cast<double>(step) + 0.5) * scene.step_s;
      trace.push_back(
          full_space_velocity(scene.layers.front(), scene.sources.front(), offset_m, time_s)[axis]);
    }
    return trace;
  });
}

std::vector<std::vector<double>> stepped_traces(const Scene& scene) {
  return traces_of(scene, [&](const std::array<double, 3>& offset_m, std::size_t axis) {
    return full_space_steps(scene.layers.front(), scene.sources.front(), offset_m, axis,
                            {scene.step_s, scene.steps});
  });
}

double misfit(const std::vector<std::vector<double>>& traces,
              const std::vector<std::vector<double>>& expected) {
  double wrong = 0.0;
  double all = 0.0;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t step = 0; step < expected[r].size(); ++step) {
      const double difference = traces[r][step] - expected[r][step];
      wrong += difference * difference;
      all += expected[r][step] * expected[r][step];
    }
  }
  return std::sqrt(wrong / all);
}

double order_of(double coarse_error, double fine_error, double ratio) {
  return std::log(coarse_error / fine_error) / std::log(ratio);
}

Scene with_third_steps(Scene scene) {
  scene.step_s /= 3.0;
  scene.steps *= 3;
  return scene;
}

std::vector<std::vector<double>> every_third(const std::vector<std::vector<double>>& traces) {
  std::vector<std::vector<double>> some;
  for (const std::vector<double>& trace : traces) {
    std::vector<double>& kept = some.emplace_back();
    for (std::size_t n = 1; n < trace.size(); n += 3) kept.push_back(trace[n]);
  }
  return some;
}

}  // namespace homenode::workloads::seismic
