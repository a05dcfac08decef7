#include "workloads/npb/cfd_kernels.h"

#include <math.h>

#include "workloads/npb/cfd_vector.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// The flow at neighbouring points of a row, one in each lane.
struct RhsPoint {
  Vec u[5];
  Vec v[3];
  Vec rho_i;
  Vec qs;
  Vec square;
};

template <bool stored>
[[gnu::always_inline]] inline RhsPoint rhs_point(const CfdField& field, std::size_t at,
                                                 std::size_t at5) {
  RhsPoint point;
  for (std::size_t m = 0; m < 5; ++m) point.u[m] = load(field.u + at5 + m * field.grid.plane);
  point.rho_i = load(field.rho_i + at);
  point.qs = load(field.qs + at);
  if constexpr (stored) {
    point.v[0] = load(field.us + at);
    point.v[1] = load(field.vs + at);
    point.v[2] = load(field.ws + at);
    point.square = load(field.square + at);
  } else {
    for (std::size_t a = 0; a < 3; ++a) point.v[a] = point.u[1 + a] * point.rho_i;
    point.square = point.qs * point.u[0];
  }
  return point;
}

/// Adds what flows and diffuses along an axis, between the points before and after.
template <std::size_t axis>
[[gnu::always_inline]] inline void add_axis(const CfdConstants& c, const RhsPoint& before,
                                            const RhsPoint& here, const RhsPoint& after, Vec* sum) {
  const double viscous = c.viscosity * c.second;
  const double diffusion = c.diffusion[axis] * c.second;
  const Vec into = before.v[axis];
  const Vec out = after.v[axis];
  for (std::size_t m = 0; m < 5; ++m) {
    sum[m] += diffusion * (after.u[m] - 2.0 * here.u[m] + before.u[m]);
  }
  sum[0] -= c.first * (after.u[1 + axis] - before.u[1 + axis]);
  for (std::size_t a = 0; a < 3; ++a) {
    const double stress = a == axis ? cfd_four_thirds * viscous : viscous;
    sum[1 + a] += stress * (after.v[a] - 2.0 * here.v[a] + before.v[a]);
    Vec flux = after.u[1 + a] * out - before.u[1 + a] * into;
    if (a == axis) {
      flux += cfd_c2 * ((after.u[4] - after.square) - (before.u[4] - before.square));
    }
    sum[1 + a] -= c.first * flux;
  }
  const Vec centre = here.v[axis];
  sum[4] +=
      viscous * (1.0 - cfd_c1c5) * (after.qs - 2.0 * here.qs + before.qs) +
      viscous / 6.0 * (out * out - 2.0 * centre * centre + into * into) +
      viscous * cfd_c1c5 *
          (after.u[4] * after.rho_i - 2.0 * here.u[4] * here.rho_i + before.u[4] * before.rho_i) -
      c.first * ((cfd_c1 * after.u[4] - cfd_c2 * after.square) * out -
                 (cfd_c1 * before.u[4] - cfd_c2 * before.square) * into);
}

/// Where the points of a fourth difference are, from the middle one. Beyond the ends of a line,
/// where the weight is zero, it is the middle one itself.
struct Reach {
  std::ptrdiff_t offset[5];
};

[[gnu::always_inline]] inline Reach reach_at(std::size_t p, std::size_t n, std::size_t stride) {
  const auto step = static_cast<std::ptrdiff_t>(stride);
  return {{p >= 2 ? -2 * step : 0, -step, 0, step, p + 2 < n ? 2 * step : 0}};
}

template <bool stored>
[[gnu::always_inline]] inline void rhs_row(const CfdField& field, std::size_t j, std::size_t k,
                                           double scale) {
  const CfdGrid& g = field.grid;
  const CfdConstants& c = field.constants;
  const std::size_t row = g.row(j, k);
  const std::size_t row5 = g.row5(j, k);
  const Reach along[3] = {
      {{-2, -1, 0, 1, 2}}, reach_at(j, g.n, g.pitch), reach_at(k, g.n, 5 * g.plane)};
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    Vec sum[5];
    for (std::size_t m = 0; m < 5; ++m) sum[m] = load(field.forcing + row5 + m * g.plane + i);
    const RhsPoint here = rhs_point<stored>(field, row + i, row5 + i);
    add_axis<0>(c, rhs_point<stored>(field, row + i - 1, row5 + i - 1), here,
                rhs_point<stored>(field, row + i + 1, row5 + i + 1), sum);
    add_axis<1>(c, rhs_point<stored>(field, row + i - g.pitch, row5 + i - g.pitch), here,
                rhs_point<stored>(field, row + i + g.pitch, row5 + i + g.pitch), sum);
    add_axis<2>(c, rhs_point<stored>(field, row + i - g.plane, row5 + i - 5 * g.plane), here,
                rhs_point<stored>(field, row + i + g.plane, row5 + i + 5 * g.plane), sum);
    for (std::size_t m = 0; m < 5; ++m) {
      const double* const u = field.u + row5 + m * g.plane + i;
      Vec fourth = {};
      for (std::size_t w = 0; w < 5; ++w) {
        const double* const weights = field.weights + w * g.pitch;
        fourth += load(weights + i) * load(u + along[0].offset[w]);
        fourth += weights[j] * load(u + along[1].offset[w]);
        fourth += weights[k] * load(u + along[2].offset[w]);
      }
      store(field.rhs + row5 + m * g.plane + i, scale * (sum[m] - c.dissipation * fourth));
    }
  }
  for (std::size_t m = 0; m < 5; ++m) {  // The borders stay as they are.
    double* const rhs = field.rhs + row5 + m * g.plane;
    rhs[0] = 0.0;
    for (std::size_t i = g.n - 1; i < g.pitch; ++i) rhs[i] = 0.0;
  }
}

void rhs_plane(const CfdField& field, std::size_t k, double scale) {
  const bool stored = field.us != nullptr;
  for (std::size_t j = 1; j + 1 < field.grid.n; ++j) {
    if (stored) {
      rhs_row<true>(field, j, k, scale);
    } else {
      rhs_row<false>(field, j, k, scale);
    }
  }
}

void derive_row(const CfdField& field, std::size_t at, std::size_t at5) {
  const CfdGrid& g = field.grid;
  const double* const u = field.u + at5;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    const Vec rho_i = 1.0 / load(u + i);
    const Vec x = load(u + g.plane + i);
    const Vec y = load(u + 2 * g.plane + i);
    const Vec z = load(u + 3 * g.plane + i);
    const Vec square = 0.5 * (x * x + y * y + z * z) * rho_i;
    store(field.rho_i + at + i, rho_i);
    store(field.qs + at + i, square * rho_i);
    if (field.us == nullptr) continue;
    store(field.us + at + i, x * rho_i);
    store(field.vs + at + i, y * rho_i);
    store(field.ws + at + i, z * rho_i);
    store(field.square + at + i, square);
    if (field.speed == nullptr) continue;
    const Vec energy = load(u + 4 * g.plane + i) - square;
    double* const speed = field.speed + at + i;
    const Vec squared = cfd_c1 * cfd_c2 * rho_i * energy;
    for (std::size_t l = 0; l < cfd_lanes; ++l) speed[l] = ::sqrt(squared[l]);
  }
}

void derive_plane(const CfdField& field, std::size_t k) {
  for (std::size_t j = 0; j < field.grid.n; ++j) {
    derive_row(field, field.grid.row(j, k), field.grid.row5(j, k));
  }
}

}  // namespace

constinit const CfdRhsKernel cfd_rhs_kernel{derive_plane, rhs_plane};

}  // namespace homenode::workloads::npb::HN_ISA
