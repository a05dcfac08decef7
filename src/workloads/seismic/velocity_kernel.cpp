// New velocities from the stresses around them. The interior knows nothing of the absorbing faces:
// what they add (Komatitsch and Martin, Geophysics 72, 2007, with kappa = 1, so that a stretched
// difference is the plain one plus psi) is added apart.
#include "workloads/seismic/differences.h"
#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic::HN_ISA {
namespace {

template <class Real>
inline void velocity_cells(const Domain<Real>& domain, const Row<Real>& f, Index k,
                           const Cells& cells) {
  const Plane<Real> at = plane_of(domain, k);
  const Real light = at.m.light;
  const Real light_half = at.m.light_half;
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    f.vx[i] += light * (before(f.sxx, i, 1) + before(f.sxy, i, at.y) + before(f.sxz, i, at.z));
  }
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    f.vy[i] += light * (after(f.sxy, i, 1) + after(f.syy, i, at.y) + before(f.syz, i, at.z));
  }
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    f.vz[i] += light_half * (after(f.sxz, i, 1) + before(f.syz, i, at.y) + after(f.szz, i, at.z));
  }
}

/// The lines of the next row that no row before it has read.
template <class Real>
inline std::array<const Real*, component_count> next_of(const Domain<Real>& domain,
                                                        const Row<Real>& f) {
  const Index y = domain.row;
  const Index z = domain.plane;
  return {f.vx + y,      f.vy + y,      f.vz + y,      f.sxx + y,        f.sxy + 2 * y,
          f.syy + 3 * y, f.sxz + z + y, f.syz + z + y, f.szz + 2 * z + y};
}

/// What the faces of one axis add: vx follows from a difference at nodes, and so does the velocity
/// that no axis but the third (vy) or second (vz) leaves at nodes.
template <int axis, class Real>
inline void add_faces(const Domain<Real>& domain, const Row<Real>& f, Index k,
                      const Strip<axis, Real>& strip) {
  const Real* const pulls_x = axis == 0 ? f.sxx : axis == 1 ? f.sxy : f.sxz;
  const Real* const pulls_y = axis == 0 ? f.sxy : axis == 1 ? f.syy : f.syz;
  const Real* const pulls_z = axis == 0 ? f.sxz : axis == 1 ? f.syz : f.szz;
  const Index stride = stride_of<axis>(domain);
  const Real light = domain.factors[k].light;
  const Real light_half = domain.factors[k].light_half;
  for_each_piece(strip.count, strip.ahead(), [&](const Cells& cells) {
#pragma omp simd
    for (Index n = cells.first; n < cells.last; ++n) {
      const Index i = strip.begin + n;
      f.vx[i] += light * strip.node(0, n, before(pulls_x, i, stride));
      f.vy[i] += light * (axis == 2 ? strip.node(1, n, before(pulls_y, i, stride))
                                    : strip.half(1, n, after(pulls_y, i, stride)));
      f.vz[i] += light_half * (axis == 1 ? strip.node(2, n, before(pulls_z, i, stride))
                                         : strip.half(2, n, after(pulls_z, i, stride)));
    }
  });
}

template <class Real>
void velocities(const Domain<Real>& domain, const Rows& rows) {
  const Index k = rows.plane;
  for_each_row(domain, rows, [&](const Row<Real>& f, Index j) {
    for_each_piece(domain.nx, next_of(domain, f),
                   [&](const Cells& cells) { velocity_cells(domain, f, k, cells); });
    for_each_strip(domain, j, k, false, [&](const auto& strip) { add_faces(domain, f, k, strip); });
  });
}

template <class Real>
void squares(const Domain<Real>& domain, Index plane, Squares& sums) {
  sums = {};
  for (Index j = 0; j < domain.ny; ++j) {
    const Row<Real> f = row_of(domain, j, plane);
    for (Index i = 0; i < domain.nx; ++i) {
      const double vx = f.vx[i], vy = f.vy[i], vz = f.vz[i];
      const double xx = f.sxx[i], yy = f.syy[i], zz = f.szz[i];
      const double xy = f.sxy[i], xz = f.sxz[i], yz = f.syz[i];
      sums.speeds += vx * vx + vy * vy;
      sums.speeds_half += vz * vz;
      sums.normals += xx * xx + yy * yy + zz * zz;
      sums.traces += (xx + yy + zz) * (xx + yy + zz);
      sums.shears += xy * xy;
      sums.shears_half += xz * xz + yz * yz;
    }
  }
}

}  // namespace

const VelocityKernels<double> velocities_double = {velocities<double>, squares<double>};
const VelocityKernels<float> velocities_float = {velocities<float>, squares<float>};

}  // namespace homenode::workloads::seismic::HN_ISA
