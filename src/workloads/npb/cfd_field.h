// What BT, SP and LU share: the grid, the constants of the discretised Navier-Stokes equations in
// a cube (NAS-91-002, section 3), and the arrays on it. Read by kernels, so it has no inline code
// that is not always inlined (program/isa.h).
#pragma once

#include <cstddef>
#include <vector>

namespace homenode::workloads::npb {

/// Where the point (i, j, k) is, i running along x. A plane of constant z is in one piece, with its
/// five components one after the other, so that equal parts of an array are slabs of planes; along
/// x are vectors. Rows are filled up to whole cache lines, and components to an odd number of
/// those, for lines along z would else share a few sets of the caches.
struct CfdGrid {
  std::size_t n = 0;      ///< Points in each direction, borders included.
  std::size_t pitch = 0;  ///< From row to row, in doubles.
  std::size_t plane = 0;  ///< From component to component, or plane to plane of one-valued arrays.

  /// Of the row j in plane k, in arrays of one value at each point.
  [[gnu::always_inline]] std::size_t row(std::size_t j, std::size_t k) const {
    return k * plane + j * pitch;
  }
  /// Of the first component's row, in arrays of five; the others follow at `plane` each.
  [[gnu::always_inline]] std::size_t row5(std::size_t j, std::size_t k) const {
    return k * 5 * plane + j * pitch;
  }
};

/// The three axes have the same steps, for the domain is a cube; they differ in their artificial
/// diffusion alone.
struct CfdConstants {
  double dt = 0.0;
  double first = 0.0;         ///< 1 / (2 h), of central first differences.
  double second = 0.0;        ///< 1 / h^2, of second differences.
  double diffusion[3] = {};   ///< Of x, y and z, the same for all five equations.
  double dissipation = 0.0;   ///< Of the fourth differences.
  double viscosity = 0.0;     ///< c3 c4.
  double conductivity = 0.0;  ///< c1 c3 c4 c5.
};

inline constexpr double cfd_c1 = 1.4;
inline constexpr double cfd_c2 = 0.4;
inline constexpr double cfd_c1c5 = 1.96;
inline constexpr double cfd_four_thirds = 4.0 / 3.0;

/// The arrays, under the names of the specification. Where `us` is null, velocities and `square`
/// are computed from u, rho_i and qs whenever they are needed.
struct CfdField {
  CfdGrid grid;
  CfdConstants constants;
  /// Five rows of grid.pitch: the weights of the points two before, one before, at, one and two
  /// after the place p of a line in its fourth difference, which is one-sided near the ends.
  const double* weights = nullptr;
  double* u = nullptr;        ///< Density, three momenta, energy.
  double* rhs = nullptr;      ///< Zero at the borders.
  double* forcing = nullptr;  ///< Makes the exact solution stationary.
  double* us = nullptr;       ///< Velocities.
  double* vs = nullptr;
  double* ws = nullptr;
  double* qs = nullptr;      ///< Half of the velocity's square.
  double* rho_i = nullptr;   ///< One over the density.
  double* square = nullptr;  ///< qs times the density.
  double* speed = nullptr;   ///< Of sound; SP's alone.
};

/// Of a cache line.
inline constexpr std::size_t cfd_line_doubles = 8;

/// n points in each direction.
CfdGrid cfd_grid(std::size_t n);

CfdConstants cfd_constants(std::size_t n, double dt);

/// CfdField::weights of a line of n points: five rows of `pitch`.
std::vector<double> fourth_differences(std::size_t n, std::size_t pitch);

}  // namespace homenode::workloads::npb
