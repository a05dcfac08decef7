// What is to be simulated, and what is wrong with it if it cannot be. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "workloads/seismic/medium.h"
#include "workloads/seismic/source.h"

namespace homenode::workloads::seismic {

struct Scene {
  std::array<std::size_t, 3> cells = {};  ///< Along x, y and z (up), absorbing faces included.
  double spacing_m = 100;
  double step_s = 0;
  std::size_t steps = 0;
  std::size_t absorbing_cells = 10;  ///< Of each face; 0: rigid walls.
  double reflection = 1e-3;          ///< Of each face, of a wave that falls straight onto it.
  bool free_surface = false;         ///< The highest plane, in place of an absorbing face.
  double frequency_hz = 1;           ///< Of the sources, for the absorbing faces.
  bool single_precision = false;
  std::size_t energy_every = 0;  ///< Steps between records of the energy; 0: none but the last.
  std::vector<Layer> layers = {};
  std::vector<Source> sources = {};
  std::vector<Receiver> receivers = {};

  [[nodiscard]] PlaneGrid planes() const { return {cells[2], spacing_m, step_s, free_surface}; }
};

/// The longest stable time step times the fastest velocity over the spacing: 1 / (sqrt(3) 7/6).
inline constexpr double courant_limit = 0.4948716593053935;

/// Cells beside a face or a free surface that a point source has to keep away.
inline constexpr std::size_t source_margin = 4;

/// Why it cannot be simulated, in words without a full stop; empty when it can.
std::string fault_of(const Scene& scene);

}  // namespace homenode::workloads::seismic
