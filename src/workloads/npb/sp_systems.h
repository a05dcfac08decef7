// SP's scalar systems with five diagonals, for as many lines at once as there are lanes.
#pragma once

#include "workloads/npb/cfd_field.h"
#include "workloads/npb/cfd_vector.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// As many lines as there are lanes. The place p of an array is the vector p strides on.
struct SpLines {
  const double* velocity;  ///< Along the lines.
  const double* rho_i;
  const double* speed;
  std::size_t stride;
  double* rhs;  ///< Of the first component, the others `component` on,
  std::size_t component;
  std::size_t rhs_stride;  ///< and with a stride of its own.
};

/// The flow at a place, as the matrices need it.
struct SpPlace {
  Vec velocity;
  Vec speed;
  Vec diffusion;
};

[[gnu::always_inline]] inline SpPlace sp_place(const CfdField& field, const SpLines& lines,
                                               double diffusion, std::size_t p) {
  const std::size_t at = p * lines.stride;
  // The largest of four sums in the specification; the others are less for any density.
  return {load(lines.velocity + at), load(lines.speed + at),
          diffusion + cfd_c1c5 * field.constants.viscosity * load(lines.rho_i + at)};
}

/// Three matrices share their lines: for what moves with the flow, and with and against sound.
constexpr std::size_t sp_matrices = 3;

/// Which of them the component m goes through.
[[gnu::always_inline]] inline std::size_t matrix_of(std::size_t m) {
  return m < 3 ? 0 : m - 2;
}

/// What elimination leaves of a row above the diagonal.
struct SpUpper {
  Vec next[sp_matrices];
  Vec second[sp_matrices];
};

/// The rows of a matrix before elimination, p the place.
struct SpRow {
  double far_below;
  Vec below;
  Vec diagonal;
  Vec above;
  double far_above;
};

/// Eliminates one row of the matrix s, given what the two rows before have left.
[[gnu::always_inline]] inline Vec eliminate(const SpRow& row, const SpUpper& before,
                                            const SpUpper& earlier, SpUpper& left, std::size_t s,
                                            Vec& factor) {
  factor = row.below - row.far_below * earlier.next[s];
  const Vec pivot =
      1.0 / (row.diagonal - row.far_below * earlier.second[s] - factor * before.next[s]);
  left.next[s] = (row.above - factor * before.second[s]) * pivot;
  left.second[s] = row.far_above * pivot;
  return pivot;
}

/// The row p of the first matrix; the other two differ by the speed of sound.
[[gnu::always_inline]] inline SpRow sp_row(const CfdField& field, const SpPlace& below,
                                           const SpPlace& here, const SpPlace& above,
                                           std::size_t p) {
  const CfdConstants& c = field.constants;
  const double* const weights = field.weights + p;
  const std::size_t pitch = field.grid.pitch;
  const double first = c.dt * c.first;
  const double second = c.dt * c.second;
  const double fourth = c.dt * c.dissipation;
  return {fourth * weights[0],
          -first * below.velocity - second * below.diffusion + fourth * weights[pitch],
          1.0 + 2.0 * second * here.diffusion + fourth * weights[2 * pitch],
          first * above.velocity - second * above.diffusion + fourth * weights[3 * pitch],
          fourth * weights[4 * pitch]};
}

/// Forward, from the first place inside to the last. What is left of the matrices above the
/// diagonal goes to scratch: at each place the next and the second next of all three.
[[gnu::always_inline]] inline void eliminate_all(const CfdField& field, const SpLines& lines,
                                                 double diffusion, double* scratch) {
  const double first = field.constants.dt * field.constants.first;
  SpUpper before{};
  SpUpper earlier{};
  Vec x[5] = {};
  Vec y[5] = {};
  SpPlace below = sp_place(field, lines, diffusion, 0);
  SpPlace here = sp_place(field, lines, diffusion, 1);
  for (std::size_t p = 1; p + 1 < field.grid.n; ++p) {
    const SpPlace above = sp_place(field, lines, diffusion, p + 1);
    SpRow row = sp_row(field, below, here, above, p);
    SpUpper left;
    Vec factor[sp_matrices];
    Vec pivot[sp_matrices];
    pivot[0] = eliminate(row, before, earlier, left, 0, factor[0]);
    const Vec sound_below = first * below.speed;
    const Vec sound_above = first * above.speed;
    row.below -= sound_below;
    row.above += sound_above;
    pivot[1] = eliminate(row, before, earlier, left, 1, factor[1]);
    row.below += 2.0 * sound_below;
    row.above -= 2.0 * sound_above;
    pivot[2] = eliminate(row, before, earlier, left, 2, factor[2]);
    for (std::size_t m = 0; m < 5; ++m) {
      const std::size_t s = matrix_of(m);
      double* const rhs = lines.rhs + m * lines.component + p * lines.rhs_stride;
      const Vec value = (load(rhs) - row.far_below * y[m] - factor[s] * x[m]) * pivot[s];
      store(rhs, value);
      y[m] = x[m];
      x[m] = value;
    }
    for (std::size_t s = 0; s < sp_matrices; ++s) {
      store(scratch + (2 * p * sp_matrices + s) * cfd_lanes, left.next[s]);
      store(scratch + ((2 * p + 1) * sp_matrices + s) * cfd_lanes, left.second[s]);
    }
    earlier = before;
    before = left;
    below = here;
    here = above;
  }
}

/// Solves all lines; finish(p, x) takes the five unknowns of a place, from the last to the first.
template <typename Finish>
[[gnu::always_inline]] inline void solve(const CfdField& field, const SpLines& lines,
                                         double diffusion, double* scratch, Finish finish) {
  eliminate_all(field, lines, diffusion, scratch);
  Vec x[5] = {};
  Vec y[5] = {};
  for (std::size_t p = field.grid.n - 2; p >= 1; --p) {
    for (std::size_t m = 0; m < 5; ++m) {
      const std::size_t s = matrix_of(m);
      const Vec value = load(lines.rhs + m * lines.component + p * lines.rhs_stride) -
                        load(scratch + (2 * p * sp_matrices + s) * cfd_lanes) * x[m] -
                        load(scratch + ((2 * p + 1) * sp_matrices + s) * cfd_lanes) * y[m];
      y[m] = x[m];
      x[m] = value;
    }
    finish(p, x);
  }
}

}  // namespace
}  // namespace homenode::workloads::npb::HN_ISA
