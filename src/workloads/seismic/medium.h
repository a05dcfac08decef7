// What the waves run through: layers, and what each plane of the grid is made of. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic {

/// A layer reaches down to the roof of the next one.
struct Layer {
  double depth_m = 0;  ///< Of its roof, below the highest plane of the grid; 0 for the first.
  double density_kg_m3 = 2700;
  double p_m_s = 6000;
  double s_m_s = 3460;  ///< 0: a fluid.
};

struct Moduli {
  double density = 0;  ///< kg/m^3
  double lambda = 0;   ///< Pa
  double mu = 0;       ///< Pa
};

/// The mean over a slice of the medium: of densities, and of 1/bulk modulus and 1/mu, which lets a
/// layer's roof lie anywhere between two planes (Moczo et al., BSSA 92, 2002).
/// pre: roofs increase from 0.
Moduli mean_moduli(std::span<const Layer> layers, double from_depth_m, double to_depth_m);

struct PlaneGrid {
  std::size_t planes = 0;
  double spacing_m = 0;
  double step_s = 0;
  bool free_surface = false;
};

/// The moduli of each plane of nodes, the lowest first, and half a cell above each.
std::vector<Moduli> plane_moduli(std::span<const Layer> layers, const PlaneGrid& grid);
std::vector<Moduli> half_plane_moduli(std::span<const Layer> layers, const PlaneGrid& grid);

/// What the kernels multiply by, the lowest plane first.
std::vector<PlaneFactors<double>> plane_factors(std::span<const Layer> layers,
                                                const PlaneGrid& grid);

double fastest_m_s(std::span<const Layer> layers);

}  // namespace homenode::workloads::seismic
