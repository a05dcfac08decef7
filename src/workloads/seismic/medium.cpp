#include "workloads/seismic/medium.h"

#include <algorithm>
#include <limits>

namespace homenode::workloads::seismic {
namespace {

Moduli moduli_of(const Layer& layer) {
  const double mu = layer.density_kg_m3 * layer.s_m_s * layer.s_m_s;
  return {layer.density_kg_m3, layer.density_kg_m3 * layer.p_m_s * layer.p_m_s - 2.0 * mu, mu};
}

std::vector<Moduli> moduli_at(std::span<const Layer> layers, const PlaneGrid& grid, double above) {
  std::vector<Moduli> planes;
  for (std::size_t k = 0; k < grid.planes; ++k) {
    const double depth = static_cast<double>(grid.planes - 1 - k) - above;
    planes.push_back(
        mean_moduli(layers, (depth - 0.5) * grid.spacing_m, (depth + 0.5) * grid.spacing_m));
  }
  return planes;
}

}  // namespace

Moduli mean_moduli(std::span<const Layer> layers, double from_depth_m, double to_depth_m) {
  double density = 0.0;
  double inverse_bulk = 0.0;
  double inverse_mu = 0.0;
  bool fluid = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool lowest = i + 1 == layers.size();
    // The first layer goes on above the grid, so that a slice may reach beyond its top.
    const double roof = i == 0 ? -std::numeric_limits<double>::infinity() : layers[i].depth_m;
    const double floor = lowest ? std::numeric_limits<double>::infinity() : layers[i + 1].depth_m;
    const double inside = std::min(to_depth_m, floor) - std::max(from_depth_m, roof);
    if (inside <= 0.0) continue;
    const double share = inside / (to_depth_m - from_depth_m);
    const Moduli layer = moduli_of(layers[i]);
    density += share * layer.density;
    inverse_bulk += share / (layer.lambda + 2.0 / 3.0 * layer.mu);
    if (layer.mu > 0.0) inverse_mu += share / layer.mu;
    fluid = fluid || layer.mu <= 0.0;
  }
  const double mu = fluid ? 0.0 : 1.0 / inverse_mu;
  return {density, 1.0 / inverse_bulk - 2.0 / 3.0 * mu, mu};
}

std::vector<Moduli> plane_moduli(std::span<const Layer> layers, const PlaneGrid& grid) {
  return moduli_at(layers, grid, 0.0);
}

std::vector<Moduli> half_plane_moduli(std::span<const Layer> layers, const PlaneGrid& grid) {
  return moduli_at(layers, grid, 0.5);
}

std::vector<PlaneFactors<double>> plane_factors(std::span<const Layer> layers,
                                                const PlaneGrid& grid) {
  const double ratio = grid.step_s / grid.spacing_m;
  const std::vector<Moduli> planes = plane_moduli(layers, grid);
  const std::vector<Moduli> halves = half_plane_moduli(layers, grid);
  std::vector<PlaneFactors<double>> all;
  for (std::size_t k = 0; k < grid.planes; ++k) {
    const auto [density, lambda, mu] = planes[k];
    PlaneFactors<double> f;
    f.light = ratio / density;
    f.light_half = ratio / halves[k].density;
    f.along = f.vertical = ratio * (lambda + 2.0 * mu);
    f.across = f.upward = f.sideward = ratio * lambda;
    f.shear = ratio * mu;
    f.shear_half = ratio * halves[k].mu;
    f.near_z = 9.0 / 8.0;
    f.far_z = -1.0 / 24.0;
    const std::size_t below = grid.planes - 1 - k;
    if (grid.free_surface && below == 0) {
      // No stress pulls upward: dz vz follows from dx vx and dy vy, and is put in for it.
      const double stiff = lambda + 2.0 * mu;
      f.along = ratio * 4.0 * mu * (lambda + mu) / stiff;
      f.across = ratio * 2.0 * mu * lambda / stiff;
      f.upward = f.sideward = f.vertical = f.shear_half = f.light_half = 0.0;
      f.near_z = f.far_z = 0.0;
    }
    if (grid.free_surface && below == 1) {  // No velocities above the surface: second order.
      f.near_z = 1.0;
      f.far_z = 0.0;
    }
    all.push_back(f);
  }
  return all;
}

double fastest_m_s(std::span<const Layer> layers) {
  double fastest = 0.0;
  for (const Layer& layer : layers) fastest = std::max(fastest, layer.p_m_s);
  return fastest;
}

}  // namespace homenode::workloads::seismic
