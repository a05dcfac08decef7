#include "workloads/npb/lu_sweep.h"

#include "workloads/npb/cfd_jacobian.h"
#include "workloads/npb/cfd_vector.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// Some rows that are swept together. A point waits for those before it in its row and in the row
/// before, so each row (a lane) is one place behind the last: all lanes then work at once.
template <bool up>
struct Block {
  std::size_t n;
  std::size_t first;  ///< Row of lane 0, which the sweep reaches first.
  std::size_t count;

  Block(std::size_t points, std::size_t b) : n(points) {
    const std::size_t low = 1 + b * cfd_lanes;
    count = low + cfd_lanes < n ? cfd_lanes : n - 1 - low;
    first = up ? low + count - 1 : low;
  }
  /// Lanes that are left over repeat the last row, and what they compute is not kept.
  [[nodiscard, gnu::always_inline]] std::size_t row(std::size_t lane) const {
    const std::size_t behind = lane < count ? lane : count - 1;
    return up ? first - behind : first + behind;
  }
  [[nodiscard, gnu::always_inline]] std::size_t row_before() const {
    return up ? first + 1 : first - 1;
  }
  /// Where a lane is after some steps along its row; at the border before and after its turn.
  [[nodiscard, gnu::always_inline]] std::size_t place(std::size_t step, std::size_t lane) const {
    const std::size_t walked = step < lane ? 0 : step - lane < n ? step - lane : n - 1;
    return up ? n - 1 - walked : walked;
  }
  [[nodiscard, gnu::always_inline]] bool turn(std::size_t step, std::size_t lane) const {
    return lane < count && step > lane && step - lane < n - 1;
  }
};

/// The part of a point's matrix that belongs to its neighbour before it along an axis.
template <bool up, std::size_t axis>
[[gnu::always_inline]] inline void neighbour_before(const CfdConstants& c, const Flow& flow,
                                                    Matrix& matrix) {
  const double scale = lu_omega * c.dt;
  const double second = scale * c.second;
  neighbour<axis>(c, {up ? scale * c.first : -scale * c.first, second, second * c.diffusion[axis]},
                  flow, matrix);
}

/// to = what a whole row of neighbours along an axis contributes, on top of `start` if there is
/// one. The row begins at `at` in one-valued arrays and at `at5` in the others.
template <bool up, std::size_t axis>
[[gnu::always_inline]] inline void row_part(const CfdField& field, std::size_t at, std::size_t at5,
                                            const double* start, double* to) {
  const CfdGrid& g = field.grid;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    Matrix matrix;
    neighbour_before<up, axis>(
        field.constants,
        flow_of(field.u + at5 + i, g.plane, field.rho_i + at + i, field.qs + at + i), matrix);
    Vec known[5];
    Vec sum[5] = {};
    for (std::size_t m = 0; m < 5; ++m) {
      known[m] = load(field.rhs + at5 + m * g.plane + i);
      if (start != nullptr) sum[m] = load(start + m * g.plane + i);
    }
    subtract_product<axis>(matrix, known, sum);
    for (std::size_t m = 0; m < 5; ++m) store(to + m * g.pitch + i, sum[m]);
  }
}

/// Solves for what a point's own matrix makes of x, in place: one and twice the viscosity and
/// diffusion of all axes, which has no entries above the diagonal.
[[gnu::always_inline]] inline void solve_point(const CfdConstants& c, const Flow& flow, Vec* x) {
  const double second = 2.0 * c.dt * c.second;
  const double one = 1.0 + second * (c.diffusion[0] + c.diffusion[1] + c.diffusion[2]);
  const double viscosity = c.viscosity * (2.0 + cfd_four_thirds);
  const double conductivity = 3.0 * c.conductivity;
  const Vec drag = second * flow.rho_i;
  const Vec friction = viscosity * drag;
  const Vec warming = (viscosity - conductivity) * drag;
  const Vec heat = conductivity * drag;
  const Vec momentum = 1.0 / (one + friction);
  x[0] *= 1.0 / one;
  Vec energy = x[4] + (2.0 * warming * flow.qs + heat * flow.energy) * x[0];
  for (std::size_t a = 0; a < 3; ++a) {
    x[1 + a] = (x[1 + a] + friction * flow.v[a] * x[0]) * momentum;
    energy -= warming * flow.v[a] * x[1 + a];
  }
  x[4] = energy / (one + heat);
}

[[gnu::always_inline]] inline Vec gather(const double* base, const std::size_t* offsets) {
#if defined(__AVX2__)
  return Vec{base[offsets[0]], base[offsets[1]], base[offsets[2]], base[offsets[3]]};
#else
  return Vec{base[offsets[0]], base[offsets[1]]};
#endif
}

/// Each lane's value to the next one, and `first` to lane 0.
[[gnu::always_inline]] inline Vec to_next_lane(Vec lanes, double first) {
#if defined(__AVX2__)
  return __builtin_shufflevector(lanes, all_lanes(first), 4, 0, 1, 2);
#else
  return __builtin_shufflevector(lanes, all_lanes(first), 2, 0);
#endif
}

[[gnu::always_inline]] inline Flow flow_at(const CfdField& field, std::size_t plane,
                                           std::size_t plane5, const std::size_t* offsets) {
  const std::size_t component = field.grid.plane;
  Flow flow;
  flow.rho_i = gather(field.rho_i + plane, offsets);
  flow.qs = gather(field.qs + plane, offsets);
  for (std::size_t a = 0; a < 3; ++a) {
    flow.v[a] = gather(field.u + plane5 + (1 + a) * component, offsets) * flow.rho_i;
  }
  flow.energy = gather(field.u + plane5 + 4 * component, offsets) * flow.rho_i;
  return flow;
}

/// One step of all lanes. `rows` and `before` hold what the plane before and the row before
/// contribute; along_x and along_y what the points of the last step do.
template <bool up>
[[gnu::always_inline]] inline void sweep_points(const CfdField& field, std::size_t k,
                                                const Block<up>& block, std::size_t step,
                                                const double* rows, const double* before,
                                                Vec* along_x, Vec* along_y) {
  const CfdGrid& g = field.grid;
  std::size_t in_plane[cfd_lanes];
  std::size_t in_rows[cfd_lanes];
  for (std::size_t l = 0; l < cfd_lanes; ++l) {
    in_plane[l] = block.row(l) * g.pitch + block.place(step, l);
    in_rows[l] = (l < block.count ? l : block.count - 1) * 5 * g.pitch + block.place(step, l);
  }
  Vec x[5];
  for (std::size_t m = 0; m < 5; ++m) {
    x[m] = gather(rows + m * g.pitch, in_rows) + along_x[m] +
           to_next_lane(along_y[m], before[m * g.pitch + block.place(step, 0)]);
  }
  const Flow flow = flow_at(field, g.row(0, k), g.row5(0, k), in_plane);
  solve_point(field.constants, flow, x);
  double* const rhs = field.rhs + g.row5(0, k);
  for (std::size_t m = 0; m < 5; ++m) {
    if (up) x[m] += gather(rhs + m * g.plane, in_plane);
    for (std::size_t l = 0; l < cfd_lanes; ++l) {
      if (block.turn(step, l)) rhs[m * g.plane + in_plane[l]] = x[m][l];
    }
    along_x[m] = along_y[m] = Vec{};
  }
  Matrix matrix;
  neighbour_before<up, 0>(field.constants, flow, matrix);
  subtract_product<0>(matrix, x, along_x);
  neighbour_before<up, 1>(field.constants, flow, matrix);
  subtract_product<1>(matrix, x, along_y);
}

template <bool up>
void sweep(const CfdField& field, std::size_t k, std::size_t b, double* scratch) {
  const CfdGrid& g = field.grid;
  const Block<up> block(g.n, b);
  const std::size_t plane_before = up ? k + 1 : k - 1;
  double* const before = scratch + cfd_lanes * 5 * g.pitch;
  for (std::size_t l = 0; l < block.count; ++l) {
    const std::size_t j = block.row(l);
    row_part<up, 2>(field, g.row(j, plane_before), g.row5(j, plane_before),
                    up ? nullptr : field.rhs + g.row5(j, k), scratch + l * 5 * g.pitch);
  }
  row_part<up, 1>(field, g.row(block.row_before(), k), g.row5(block.row_before(), k), nullptr,
                  before);
  Vec along_x[5] = {};
  Vec along_y[5] = {};
  const std::size_t last = g.n - 2 + block.count - 1;
  for (std::size_t step = 1; step <= last; ++step) {
    sweep_points<up>(field, k, block, step, scratch, before, along_x, along_y);
  }
}

void advance(const CfdField& field, std::size_t k) {
  const CfdGrid& g = field.grid;
  constexpr double factor = 1.0 / (lu_omega * (2.0 - lu_omega));
  for (std::size_t j = 1; j + 1 < g.n; ++j) {
    for (std::size_t m = 0; m < 5; ++m) {
      const std::size_t at = g.row5(j, k) + m * g.plane;
      for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
        store(field.u + at + i, load(field.u + at + i) + factor * load(field.rhs + at + i));
      }
    }
  }
}

}  // namespace

constinit const LuSweepKernel lu_sweep_kernel{cfd_lanes, sweep<false>, sweep<true>, advance};

}  // namespace homenode::workloads::npb::HN_ISA
