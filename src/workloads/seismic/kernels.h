// What the seismic code computes for every instruction set apart (program/isa.h): half a step of
// some rows, velocities from stresses or stresses from velocities. The solver knows when and where.
#pragma once

#include <cstddef>

#include "workloads/program/isa.h"

namespace homenode::workloads::seismic {

/// The order of the nine fields, and of a staggered cell's nodes in units of the spacing: vx
/// (0,0,0), vy (1/2,1/2,0), vz (1/2,0,1/2), the normal stresses (1/2,0,0), sxy (0,1/2,0), sxz
/// (0,0,1/2), syz (1/2,1/2,1/2).
enum class Component : unsigned char { vx, vy, vz, sxx, syy, szz, sxy, sxz, syz };
inline constexpr std::size_t component_count = 9;

/// What the material of one plane multiplies differences by; all but the last two have a factor of
/// time step over spacing. The names say what changes by which difference.
template <class Real>
struct PlaneFactors {
  Real light = 0;       ///< 1/density, for vx and vy.
  Real light_half = 0;  ///< The same half a cell up, for vz.
  Real along = 0;       ///< lambda + 2 mu: sxx by dx vx, syy by dy vy.
  Real across = 0;      ///< lambda: sxx by dy vy, syy by dx vx.
  Real upward = 0;      ///< lambda: szz by dx vx and dy vy.
  Real sideward = 0;    ///< lambda: sxx and syy by dz vz.
  Real vertical = 0;    ///< lambda + 2 mu: szz by dz vz.
  Real shear = 0;       ///< mu, for sxy.
  Real shear_half = 0;  ///< The same half a cell up, for sxz and syz.
  Real near_z = 0;      ///< Of the difference along z of velocities: of the next neighbours,
  Real far_z = 0;       ///< and of those behind them.
};

/// The absorbing layers along one axis: psi <- keep psi + take D, at nodes and half a cell on.
/// Entries 0 to width - 1 belong to the low face, the next `width` ones to the high face.
template <class Real>
struct Absorber {
  const Real* keep = nullptr;
  const Real* take = nullptr;
  const Real* keep_half = nullptr;
  const Real* take_half = nullptr;
};

/// Everything that a step reads and writes. Fields point to cell (0,0,0); around all cells, two
/// more hold zeros. Strides are in elements; along x it is 1.
template <class Real>
struct Domain {
  Real* field[component_count] = {};
  std::ptrdiff_t nx = 0;
  std::ptrdiff_t ny = 0;
  std::ptrdiff_t nz = 0;
  std::ptrdiff_t row = 0;
  std::ptrdiff_t plane = 0;
  const PlaneFactors<Real>* factors = nullptr;  ///< One for each plane along z.
  std::ptrdiff_t width = 0;                     ///< Cells of each absorbing face.
  bool free_surface = false;                    ///< On the last plane, in place of a face there.
  Absorber<Real> absorber[3];
  /// [plane][6][ny][2 width], [plane][6][2 width][row], [width or 2 width][6][ny][row]: three of
  /// the six for the differences of stresses, three for those of velocities.
  Real* psi[3] = {};
};

/// Rows first to last - 1 of the plane k.
struct Rows {
  std::ptrdiff_t plane = 0;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
};

struct Squares {
  double speeds = 0;       ///< vx^2 + vy^2
  double speeds_half = 0;  ///< vz^2
  double normals = 0;      ///< sxx^2 + syy^2 + szz^2
  double traces = 0;       ///< (sxx + syy + szz)^2
  double shears = 0;       ///< sxy^2
  double shears_half = 0;  ///< sxz^2 + syz^2
};

template <class Real>
struct VelocityKernels {
  void (*rows)(const Domain<Real>& domain, const Rows& rows) = nullptr;
  /// Sums over a plane that its energy follows from, added row by row.
  void (*squares)(const Domain<Real>& domain, std::ptrdiff_t plane, Squares& sums) = nullptr;
};

template <class Real>
struct StressKernels {
  void (*rows)(const Domain<Real>& domain, const Rows& rows) = nullptr;
};

HN_KERNELS(VelocityKernels<double>, velocities_double)
HN_KERNELS(VelocityKernels<float>, velocities_float)
HN_KERNELS(StressKernels<double>, stresses_double)
HN_KERNELS(StressKernels<float>, stresses_float)

}  // namespace homenode::workloads::seismic
