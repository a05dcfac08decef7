// The absorbing faces (C-PML, Komatitsch and Martin, Geophysics 72, 2007) as numbers: how much of
// psi is kept and how much of a difference is taken, from the edge of the grid inward. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace homenode::workloads::seismic {

struct AbsorbingFace {
  std::size_t width = 10;  ///< Cells.
  double spacing_m = 0;
  double step_s = 0;
  double fastest_m_s = 0;    ///< The largest P velocity.
  double frequency_hz = 1;   ///< The source's, at and below which waves must not be let through.
  double reflection = 1e-3;  ///< Of a plane wave that falls straight onto it.
};

/// Entries 0 to width - 1 for the low face from its edge inward, then as many for the high face
/// from its inner end outward; at nodes, and half a cell after them.
struct AbsorbingProfile {
  std::vector<double> keep, take, keep_half, take_half;
};

AbsorbingProfile absorbing_profile(const AbsorbingFace& face);

}  // namespace homenode::workloads::seismic
