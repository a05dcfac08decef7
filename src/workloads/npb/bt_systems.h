// BT's systems with three diagonals of 5 x 5 matrices, for as many lines at once as there are
// lanes. No pivots are chosen: the diagonal is large in time steps as short as these.
#pragma once

#include "workloads/npb/cfd_field.h"
#include "workloads/npb/cfd_jacobian.h"
#include "workloads/npb/cfd_vector.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// As many lines as there are lanes. The place p of an array is the vector p strides on, and its
/// components are `component` apart.
struct BtLines {
  const double* u;
  const double* rho_i;
  const double* qs;
  double* rhs;
  std::size_t component;
  std::size_t stride5;  ///< Of u and rhs,
  std::size_t stride;   ///< and of the others.
};

[[gnu::always_inline]] inline Flow bt_flow(const BtLines& lines, std::size_t p) {
  return flow_of(lines.u + p * lines.stride5, lines.component, lines.rho_i + p * lines.stride,
                 lines.qs + p * lines.stride);
}

/// One, and what a place's own viscosity and diffusion take: the diagonal.
template <std::size_t axis>
[[gnu::always_inline]] inline void set_diagonal(const CfdConstants& c, double viscous,
                                                const Flow& flow, Matrix& matrix) {
  const Vec drag = 2.0 * viscous * flow.rho_i;
  const Vec one = all_lanes(1.0 + 2.0 * viscous * c.diffusion[axis]);
  for (auto& row : matrix.at) {
    for (Vec& entry : row) entry = Vec{};
  }
  matrix.at[0][0] = one;
  Vec heat = c.conductivity * flow.energy;
  for (std::size_t a = 0; a < 3; ++a) {
    const double viscosity = c.viscosity * stretch(a, axis);
    const Vec warming = (viscosity - c.conductivity) * flow.v[a];
    matrix.at[1 + a][0] = -viscosity * drag * flow.v[a];
    matrix.at[1 + a][1 + a] = one + viscosity * drag;
    matrix.at[4][1 + a] = drag * warming;
    heat += warming * flow.v[a];
  }
  matrix.at[4][0] = -drag * heat;
  matrix.at[4][4] = one + c.conductivity * drag;
}

/// Replaces the matrix by its triangular factors; the diagonal then holds reciprocals.
[[gnu::always_inline]] inline void factorise(Matrix& matrix) {
#pragma GCC unroll 5
  for (std::size_t q = 0; q < 5; ++q) {
    matrix.at[q][q] = 1.0 / matrix.at[q][q];
#pragma GCC unroll 5
    for (std::size_t row = q + 1; row < 5; ++row) {
      matrix.at[row][q] *= matrix.at[q][q];
#pragma GCC unroll 5
      for (std::size_t column = q + 1; column < 5; ++column) {
        matrix.at[row][column] -= matrix.at[row][q] * matrix.at[q][column];
      }
    }
  }
}

/// The solution for one column, in place.
[[gnu::always_inline]] inline void substitute(const Matrix& factors, Vec* column) {
#pragma GCC unroll 5
  for (std::size_t row = 1; row < 5; ++row) {
#pragma GCC unroll 5
    for (std::size_t q = 0; q < row; ++q) column[row] -= factors.at[row][q] * column[q];
  }
#pragma GCC unroll 5
  for (std::size_t back = 0; back < 5; ++back) {
    const std::size_t row = 4 - back;
#pragma GCC unroll 5
    for (std::size_t q = row + 1; q < 5; ++q) column[row] -= factors.at[row][q] * column[q];
    column[row] *= factors.at[row][row];
  }
}

[[gnu::always_inline]] inline void load_column(const double* from, std::size_t stride,
                                               Vec* column) {
  for (std::size_t m = 0; m < 5; ++m) column[m] = load(from + m * stride);
}

[[gnu::always_inline]] inline void store_column(double* to, std::size_t stride, const Vec* column) {
  for (std::size_t m = 0; m < 5; ++m) store(to + m * stride, column[m]);
}

/// Forward over all places. scratch takes, for each, five columns of what is left above the
/// diagonal.
template <std::size_t axis>
[[gnu::always_inline]] inline void eliminate_blocks(const CfdField& field, const BtLines& lines,
                                                    double* scratch) {
  const CfdConstants& c = field.constants;
  const double viscous = c.dt * c.second;
  const double diffusive = viscous * c.diffusion[axis];
  Flow below = bt_flow(lines, 0);
  Flow here = bt_flow(lines, 1);
  Vec known[5] = {};
  for (std::size_t m = 0; m < 25; ++m) store(scratch + m * cfd_lanes, Vec{});
  for (std::size_t p = 1; p + 1 < field.grid.n; ++p) {
    const Flow above = bt_flow(lines, p + 1);
    double* const upper = scratch + p * 25 * cfd_lanes;
    const double* const upper_below = upper - 25 * cfd_lanes;
    Matrix lower;
    neighbour<axis>(c, {-c.dt * c.first, viscous, diffusive}, below, lower);
    Matrix diagonal;
    set_diagonal<axis>(c, viscous, here, diagonal);
    for (std::size_t column = 0; column < 5; ++column) {
      Vec left[5];
      load_column(upper_below + column * 5 * cfd_lanes, cfd_lanes, left);
      Vec product[5] = {};
      subtract_product<axis>(lower, left, product);
      for (std::size_t row = 0; row < 5; ++row) diagonal.at[row][column] += product[row];
    }
    factorise(diagonal);
    Vec value[5];
    double* const rhs = lines.rhs + p * lines.stride5;
    load_column(rhs, lines.component, value);
    subtract_product<axis>(lower, known, value);
    substitute(diagonal, value);
    store_column(rhs, lines.component, value);
    for (std::size_t m = 0; m < 5; ++m) known[m] = value[m];
    Matrix next;
    neighbour<axis>(c, {c.dt * c.first, viscous, diffusive}, above, next);
#pragma GCC unroll 5
    for (std::size_t column = 0; column < 5; ++column) {
      Vec entries[5];
#pragma GCC unroll 5
      for (std::size_t row = 0; row < 5; ++row) {
        entries[row] = has_entry<axis>(row, column) ? next.at[row][column] : Vec{};
      }
      substitute(diagonal, entries);
      store_column(upper + column * 5 * cfd_lanes, cfd_lanes, entries);
    }
    below = here;
    here = above;
  }
}

/// Solves all lines; finish(p, x) takes the five unknowns of a place, from the last to the first.
template <std::size_t axis, typename Finish>
[[gnu::always_inline]] inline void solve_blocks(const CfdField& field, const BtLines& lines,
                                                double* scratch, Finish finish) {
  eliminate_blocks<axis>(field, lines, scratch);
  Vec x[5] = {};
  for (std::size_t p = field.grid.n - 2; p >= 1; --p) {
    const double* const upper = scratch + p * 25 * cfd_lanes;
    Vec value[5];
    load_column(lines.rhs + p * lines.stride5, lines.component, value);
    for (std::size_t column = 0; column < 5; ++column) {
      for (std::size_t row = 0; row < 5; ++row) {
        value[row] -= load(upper + (column * 5 + row) * cfd_lanes) * x[column];
      }
    }
    for (std::size_t m = 0; m < 5; ++m) x[m] = value[m];
    finish(p, x);
  }
}

}  // namespace
}  // namespace homenode::workloads::npb::HN_ISA
