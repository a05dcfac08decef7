// The matrices of BT and LU: how a step's flux and viscosity along one axis depend on the flow at
// a point, 5 x 5, one matrix in each lane. Many entries are always zero, and are never touched.
#pragma once

#include "workloads/npb/cfd_field.h"
#include "workloads/npb/cfd_vector.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// The flow at a point.
struct Flow {
  Vec rho_i;
  Vec v[3];
  Vec qs;
  Vec energy;  ///< By mass.
};

/// From the components of u, `component` apart, and from what is derived of them.
[[gnu::always_inline]] inline Flow flow_of(const double* u, std::size_t component,
                                           const double* rho_i, const double* qs) {
  Flow flow;
  flow.rho_i = load(rho_i);
  flow.qs = load(qs);
  for (std::size_t a = 0; a < 3; ++a) flow.v[a] = load(u + (1 + a) * component) * flow.rho_i;
  flow.energy = load(u + 4 * component) * flow.rho_i;
  return flow;
}

/// Factors of a neighbour's matrix: of the flux, of viscosity, and of diffusion.
struct Factors {
  double flux;
  double viscous;
  double diffusive;
};

struct Matrix {
  Vec at[5][5];
};

/// Whether an entry is ever different from zero.
template <std::size_t axis>
constexpr bool has_entry(std::size_t row, std::size_t column) {
  if (row == 1 + axis || row == 4 || column == 0) return true;
  return column == 1 + axis || (row != 0 && column == row);
}

/// viscosity times this is that of the momentum a along the axis.
constexpr double stretch(std::size_t a, std::size_t axis) {
  return a == axis ? cfd_four_thirds : 1.0;
}

/// flux * (Jacobian of the flux) - viscous * (that of viscosity) - diffusive * 1.
template <std::size_t axis>
[[gnu::always_inline]] inline void neighbour(const CfdConstants& c, const Factors& factors,
                                             const Flow& flow, Matrix& matrix) {
  const Vec along = flow.v[axis];
  const Vec pull = factors.flux * along;
  const Vec drag = factors.viscous * flow.rho_i;
  matrix.at[0][0] = all_lanes(-factors.diffusive);
  matrix.at[0][1 + axis] = all_lanes(factors.flux);
  Vec heat = c.conductivity * flow.energy;
  for (std::size_t a = 0; a < 3; ++a) {
    const double viscosity = c.viscosity * stretch(a, axis);
    Vec* const row = matrix.at[1 + a];
    row[0] = (viscosity * drag - pull) * flow.v[a];
    if (a == axis) {
      for (std::size_t b = 0; b < 3; ++b) row[1 + b] = -factors.flux * cfd_c2 * flow.v[b];
      row[0] += factors.flux * cfd_c2 * flow.qs;
      row[1 + a] += 2.0 * pull;
      row[4] = all_lanes(factors.flux * cfd_c2);
    } else {
      row[1 + axis] = factors.flux * flow.v[a];
      row[1 + a] = pull;
    }
    row[1 + a] -= viscosity * drag + factors.diffusive;
    const Vec warming = (viscosity - c.conductivity) * flow.v[a];
    heat += warming * flow.v[a];
    matrix.at[4][1 + a] = -cfd_c2 * pull * flow.v[a] - drag * warming;
  }
  const Vec total = cfd_c1 * flow.energy;
  matrix.at[4][0] = pull * (2.0 * cfd_c2 * flow.qs - total) + drag * heat;
  matrix.at[4][1 + axis] += factors.flux * (total - cfd_c2 * flow.qs);
  matrix.at[4][4] = cfd_c1 * pull - c.conductivity * drag - factors.diffusive;
}

/// sum -= matrix * vector.
template <std::size_t axis>
[[gnu::always_inline]] inline void subtract_product(const Matrix& matrix, const Vec* vector,
                                                    Vec* sum) {
#pragma GCC unroll 5
  for (std::size_t row = 0; row < 5; ++row) {
#pragma GCC unroll 5
    for (std::size_t column = 0; column < 5; ++column) {
      if (has_entry<axis>(row, column)) sum[row] -= matrix.at[row][column] * vector[column];
    }
  }
}

}  // namespace
}  // namespace homenode::workloads::npb::HN_ISA
