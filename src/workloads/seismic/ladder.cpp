#include "workloads/seismic/ladder.h"

#include <cmath>

#include "workloads/seismic/closed_form.h"

namespace homenode::workloads::seismic {
namespace {

/// Directions in which no component of either source's motion vanishes by symmetry alone.
constexpr std::array<Point, 6> directions = {Point{0.8, 0.6, 0.0},     Point{-0.6, 0.0, 0.8},
                                             Point{0.0, 0.8, -0.6},    Point{0.48, 0.64, 0.6},
                                             Point{-0.6, 0.64, -0.48}, Point{0.64, -0.48, 0.6}};

}  // namespace

void place_full_space_points(Scene& scene, const Source& source, double distance_m) {
  scene.sources = {source};
  const double distance = distance_m / scene.spacing_m;
  for (const Point& direction : directions) {
    std::array<std::ptrdiff_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cell[axis] =
          static_cast<std::ptrdiff_t>(std::lround(source.point[axis] + distance * direction[axis]));
    }
    for (const Component component : {Component::vx, Component::vy, Component::vz}) {
      scene.receivers.push_back({component, node_of(component, cell)});
    }
  }
}

Scene full_space(const FullSpace& problem) {
  Scene scene;
  const auto inner = static_cast<std::size_t>(std::lround(problem.extent_m / problem.spacing_m));
  scene.absorbing_cells = problem.absorbing_cells;
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
  source.time = {problem.kind, 4.5 * problem.width_s, problem.width_s};
  place_full_space_points(scene, source, problem.distance_m);
  return scene;
}

std::vector<std::vector<double>> exact_traces(const Scene& scene) {
  std::vector<std::vector<double>> traces;
  const Source& source = scene.sources.front();
  for (const Receiver& receiver : scene.receivers) {
    std::array<double, 3> offset_m{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      offset_m[axis] = (receiver.point[axis] - source.point[axis]) * scene.spacing_m;
    }
    const auto axis = static_cast<std::size_t>(receiver.component);
    std::vector<double> trace;
    for (std::size_t step = 0; step < scene.steps; ++step) {
      const double time_s = (static_cast<double>(step) + 0.5) * scene.step_s;
      trace.push_back(full_space_velocity(scene.layers.front(), source, offset_m, time_s)[axis]);
    }
    traces.push_back(std::move(trace));
  }
  return traces;
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

double order_of(double coarse_misfit, double fine_misfit) {
  return std::log2(coarse_misfit / fine_misfit);
}

}  // namespace homenode::workloads::seismic
