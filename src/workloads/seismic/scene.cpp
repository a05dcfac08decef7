#include "workloads/seismic/scene.h"

#include <algorithm>
#include <cmath>

namespace homenode::workloads::seismic {
namespace {

constexpr std::array<const char*, 3> axes = {"x", "y", "z"};

bool positive(double value) {
  return std::isfinite(value) && value > 0.0;
}

std::string fault_of_layers(const std::vector<Layer>& layers) {
  if (layers.empty()) return "there is no layer";
  if (layers.front().depth_m != 0.0) return "the first layer does not begin at depth 0";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const std::string name = "layer " + std::to_string(i + 1);
    if (i > 0 && !(layer.depth_m > layers[i - 1].depth_m))
      return name + " does not begin below the one before";
    if (!positive(layer.density_kg_m3) || !positive(layer.p_m_s)) {
      return name + " needs a positive density and P velocity";
    }
    // lambda + 2/3 mu is the bulk modulus, which no material has below 0.
    if (!(layer.s_m_s >= 0.0 && layer.s_m_s < layer.p_m_s * std::sqrt(0.75))) {
      return name + " has an S velocity that is negative or too high for its P velocity";
    }
  }
  return {};
}

/// Whether all taps of a point lie `margin` cells or more from every end of the grid.
bool inside(const Scene& scene, Component component, const Point& point, std::size_t margin) {
  for (const double at : point) {
    if (!std::isfinite(at) || std::abs(at) > 1e15) return false;
  }
  for (const Tap& tap : taps(component, point)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto last = static_cast<std::ptrdiff_t>(scene.cells[axis] - 1 - margin);
      if (tap.cell[axis] < static_cast<std::ptrdiff_t>(margin) || tap.cell[axis] > last) {
        return false;
      }
    }
  }
  return true;
}

std::string fault_of_points(const Scene& scene) {
  for (std::size_t n = 0; n < scene.sources.size(); ++n) {
    const Source& source = scene.sources[n];
    for (const Injection& injection : injections(source)) {
      if (!inside(scene, injection.component, source.point, source_margin)) {
        return "source " + std::to_string(n + 1) + " is less than " +
               std::to_string(source_margin) + " cells from the edge of the grid";
      }
    }
  }
  for (std::size_t n = 0; n < scene.receivers.size(); ++n) {
    const Receiver& receiver = scene.receivers[n];
    if (!inside(scene, receiver.component, receiver.point, 0)) {
      return "receiver " + std::to_string(n + 1) + " is outside the grid";
    }
  }
  return {};
}

}  // namespace

std::string fault_of(const Scene& scene) {
  const std::size_t least = 2 * scene.absorbing_cells + 2 * source_margin + 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (scene.cells[axis] < least) {
      return std::to_string(scene.cells[axis]) + " cells along " + axes[axis] +
             " are too few: faces and a source need " + std::to_string(least);
    }
    if (scene.cells[axis] > 1U << 20U) {
      return std::to_string(scene.cells[axis]) + " cells along " + axes[axis] + " are too many";
    }
  }
  const std::array<double, 3> sides = {static_cast<double>(scene.cells[0]),
                                       static_cast<double>(scene.cells[1]),
                                       static_cast<double>(scene.cells[2])};
  if (sides[0] * sides[1] * sides[2] > 1e12) return "more than 1e12 cells are too many";
  if (scene.steps > 1000000) return "more than 1000000 steps are too many";
  if (scene.steps == 0) return "a run needs at least one step";
  if (!positive(scene.spacing_m) || !positive(scene.step_s)) {
    return "spacing and time step must be positive";
  }
  if (!positive(scene.frequency_hz)) return "the frequency must be positive";
  if (!positive(scene.reflection) || scene.reflection >= 1.0) {
    return "the share that a face reflects must be between 0 and 1";
  }
  if (std::string fault = fault_of_layers(scene.layers); !fault.empty()) return fault;
  const double courant = fastest_m_s(scene.layers) * scene.step_s / scene.spacing_m;
  if (courant > courant_limit) {
    return "the time step is too long: waves cross " + std::to_string(courant) +
           " cells in it, and up to " + std::to_string(courant_limit) + " are stable";
  }
  return fault_of_points(scene);
}

}  // namespace homenode::workloads::seismic
