// The differences of the seismic code, of fourth order in space, for its kernels alone: everything
// here belongs to the file that includes it, as each is compiled for several instruction sets.
#pragma once

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

/// psi of one difference in one cell of a face.
template <class Real>
inline Real absorb(Real& psi, Real keep, Real take, Real difference) {
  psi = keep * psi + take * difference;
  return psi;
}

/// Where a row or plane lies in the faces of its axis: its entry of 2 width, or -1 outside.
inline Index face_entry(Index at, Index count, Index width, bool high) {
  if (at < width) return at;
  return high && at >= count - width ? at - count + 2 * width : -1;
}

/// The part of psi that belongs to a row of the n-th plane in the faces along z.
template <class Real>
inline Real* psi_of_plane(const Domain<Real>& domain, Index n, Index j) {
  return domain.psi[2] + (n * 6 * domain.ny + j) * domain.row;
}

}  // namespace
}  // namespace homenode::workloads::seismic::HN_ISA
