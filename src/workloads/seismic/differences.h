// The differences of the seismic code, of fourth order in space, for its kernels alone: everything
// here belongs to the file that includes it, as each is compiled for several instruction sets.
#pragma once

#include <algorithm>
#include <array>

#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic::HN_ISA {
namespace {

using Index = std::ptrdiff_t;

template <class Real>
constexpr Real near_weight = Real(9) / Real(8);
template <class Real>
constexpr Real far_weight = Real(-1) / Real(24);

/// The difference at half a cell after i, of values at whole cells.
template <class Real>
inline Real after(const Real* f, Index i, Index stride) {
  return near_weight<Real> * (f[i + stride] - f[i]) +
         far_weight<Real> * (f[i + 2 * stride] - f[i - stride]);
}

/// The difference at whole cell i, of values half a cell after theirs.
template <class Real>
inline Real before(const Real* f, Index i, Index stride) {
  return near_weight<Real> * (f[i] - f[i - stride]) +
         far_weight<Real> * (f[i + stride] - f[i - 2 * stride]);
}

/// The nine fields at the beginning of a row.
template <class Real>
struct Row {
  Real *vx, *vy, *vz, *sxx, *syy, *szz, *sxy, *sxz, *syz;
};

template <class Real>
inline Row<Real> row_of(const Domain<Real>& domain, Index j, Index k) {
  const Index at = k * domain.plane + j * domain.row;
  Real* const* const f = domain.field;
  return {f[0] + at, f[1] + at, f[2] + at, f[3] + at, f[4] + at,
          f[5] + at, f[6] + at, f[7] + at, f[8] + at};
}

/// Where a row or plane lies in the faces of its axis: its entry of 2 width, or -1 outside.
inline Index face_entry(Index at, Index count, Index width, bool high) {
  if (at < width) return at;
  return high && at >= count - width ? at - count + 2 * width : -1;
}

/// Cells of a row that lie in the faces of one axis, and what the faces remember of three
/// differences along it. Where the row itself lies in a face, one entry serves all its cells.
template <int axis, class Real>
struct Strip {
  Real* psi = nullptr;  ///< Of cell `begin` of the first difference;
  Index next = 0;       ///< elements from one difference to the next.
  Index begin = 0;      ///< Cells of the row,
  Index count = 0;
  Absorber<Real> absorber;  ///< Of the first of them.
  Index row = 0;            ///< Elements from a row to the next.

  /// What the faces remember of the next row.
  [[nodiscard]] std::array<const Real*, 3> ahead() const {
    return {psi + row, psi + next + row, psi + 2 * next + row};
  }

  /// psi of a difference at a node, and of one half a cell on, in the n-th cell.
  [[nodiscard]] Real node(Index difference, Index n, Real value) const {
    return remember(psi[difference * next + n], absorber.keep, absorber.take, n, value);
  }
  [[nodiscard]] Real half(Index difference, Index n, Real value) const {
    return remember(psi[difference * next + n], absorber.keep_half, absorber.take_half, n, value);
  }

 private:
  static Real remember(Real& psi, const Real* keep, const Real* take, Index n, Real value) {
    const Index entry = axis == 0 ? n : 0;
    psi = keep[entry] * psi + take[entry] * value;
    return psi;
  }
};

template <int axis, class Real>
inline Index stride_of(const Domain<Real>& domain) {
  return axis == 0 ? 1 : axis == 1 ? domain.row : domain.plane;
}

template <class Real>
inline Absorber<Real> from_entry(const Absorber<Real>& all, Index n) {
  return {all.keep + n, all.take + n, all.keep_half + n, all.take_half + n};
}

/// Calls work(strip) for what row j of plane k has in the faces of the three axes, in their order.
/// The first three differences are those of stresses, the others those of velocities.
template <class Real, class Work>
inline void for_each_strip(const Domain<Real>& domain, Index j, Index k, bool velocities,
                           const Work& work) {
  const Index w = domain.width;
  if (w == 0) return;
  const Index part = velocities ? 3 : 0;
  const Index next_x = domain.ny * 2 * w;
  Real* const psi_x = domain.psi[0] + (k * 6 * domain.ny + j) * 2 * w + part * next_x;
  for (Index side = 0; side < 2; ++side) {
    work(Strip<0, Real>{psi_x + side * w, next_x, side * (domain.nx - w), w,
                        from_entry(domain.absorber[0], side * w), 2 * w});
  }
  const Index in_y = face_entry(j, domain.ny, w, true);
  if (in_y >= 0) {
    const Index next = 2 * w * domain.row;
    work(Strip<1, Real>{domain.psi[1] + (k * 6 + part) * next + in_y * domain.row, next, 0,
                        domain.nx, from_entry(domain.absorber[1], in_y), domain.row});
  }
  const Index in_z = face_entry(k, domain.nz, w, !domain.free_surface);
  if (in_z >= 0) {
    const Index next = domain.ny * domain.row;
    work(Strip<2, Real>{domain.psi[2] + (in_z * 6 + part) * next + j * domain.row, next, 0,
                        domain.nx, from_entry(domain.absorber[2], in_z), domain.row});
  }
}

/// What the rows of a plane have in common: the strides across them, the material.
template <class Real>
struct Plane {
  Index y, z;
  PlaneFactors<Real> m;
};

template <class Real>
inline Plane<Real> plane_of(const Domain<Real>& domain, Index k) {
  return {domain.row, domain.plane, domain.factors[k]};
}

/// Cells first to last - 1 of a row.
struct Cells {
  Index first, last;
};

/// Calls work(cells) for the cells of a row, a few cache lines at a time, before which it asks for
/// as many of the rows `ahead`, that nothing has read yet: these are more streams than a processor
/// follows by itself. Asked for all at once, the lines of a row would wait for each other. On Zen 4
/// this brings 1.7 times as many cells a second on one CPU and 1.5 times on two; pieces of 64 bytes
/// and of 1 KiB brought half of that, and asking for lines in the first-level cache as well.
template <class Real, std::size_t count, class Work>
inline void for_each_piece(Index cell_count, const std::array<const Real*, count>& ahead,
                           const Work& work) {
  constexpr Index line = 64 / sizeof(Real);
  constexpr Index piece = 4 * line;
  constexpr int to_read = 0;
  constexpr int to_second_level = 2;
  for (Index first = 0; first < cell_count; first += piece) {
    const Cells cells{first, std::min(first + piece, cell_count)};
    for (const Real* const field : ahead) {
      for (Index i = cells.first; i < cells.last; i += line)
        __builtin_prefetch(field + i, to_read, to_second_level);
    }
    work(cells);
  }
}

/// Calls work(row, j) for each of the rows.
template <class Real, class Work>
inline void for_each_row(const Domain<Real>& domain, const Rows& rows, const Work& work) {
  for (Index j = rows.first; j < rows.last; ++j) work(row_of(domain, j, rows.plane), j);
}

}  // namespace
}  // namespace homenode::workloads::seismic::HN_ISA
