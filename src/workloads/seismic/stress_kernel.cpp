// New stresses from the velocities around them, and what the absorbing faces add (see
// velocity_kernel.cpp); and the mirror images above a free surface.
#include "workloads/seismic/differences.h"
#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic::HN_ISA {
namespace {

template <class Real>
inline void normal_row(const Domain<Real>& domain, const Row<Real>& f, Index k) {
  const Index nx = domain.nx;
  const Index y = domain.row;
  const Index z = domain.plane;
  const PlaneFactors<Real> m = domain.factors[k];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    const Real dx = after(f.vx, i, 1);
    const Real dy = before(f.vy, i, y);
    const Real dz = m.near_z * (f.vz[i] - f.vz[i - z]) + m.far_z * (f.vz[i + z] - f.vz[i - 2 * z]);
    f.sxx[i] += m.along * dx + m.across * dy + m.sideward * dz;
    f.syy[i] += m.across * dx + m.along * dy + m.sideward * dz;
    f.szz[i] += m.upward * (dx + dy) + m.vertical * dz;
  }
}

template <class Real>
inline void shear_row(const Domain<Real>& domain, const Row<Real>& f, Index k) {
  const Index nx = domain.nx;
  const Index y = domain.row;
  const Index z = domain.plane;
  const PlaneFactors<Real> m = domain.factors[k];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.sxy[i] += m.shear * (after(f.vx, i, y) + before(f.vy, i, 1));
  }
  if (domain.free_surface && k == domain.nz - 1) return;  // Half a cell above the surface.
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    const Real dz = m.near_z * (f.vx[i + z] - f.vx[i]) + m.far_z * (f.vx[i + 2 * z] - f.vx[i - z]);
    f.sxz[i] += m.shear_half * (dz + before(f.vz, i, 1));
  }
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    const Real dz = m.near_z * (f.vy[i + z] - f.vy[i]) + m.far_z * (f.vy[i + 2 * z] - f.vy[i - z]);
    f.syz[i] += m.shear_half * (dz + after(f.vz, i, y));
  }
}

/// What the faces of one axis add: to the normal stresses by the velocity along it, and to the two
/// shear stresses that it has a part in.
template <int axis, class Real>
inline void add_faces(const Domain<Real>& domain, const Row<Real>& f, Index k,
                      const Strip<axis, Real>& strip) {
  const PlaneFactors<Real> m = domain.factors[k];
  const Index stride = stride_of<axis>(domain);
  const Real to_xx = axis == 0 ? m.along : axis == 1 ? m.across : m.sideward;
  const Real to_yy = axis == 0 ? m.across : axis == 1 ? m.along : m.sideward;
  const Real to_zz = axis == 2 ? m.vertical : m.upward;
  const Real* const along = axis == 0 ? f.vx : axis == 1 ? f.vy : f.vz;
  const Real* const first_by = axis == 0 ? f.vy : f.vx;
  const Real* const second_by = axis == 2 ? f.vy : f.vz;
  Real* const first = axis == 2 ? f.sxz : f.sxy;
  Real* const second = axis == 0 ? f.sxz : f.syz;
  const Real to_first = axis == 2 ? m.shear_half : m.shear;
  const auto shear = [&](Index difference, Index n, const Real* by) {
    const Index i = strip.begin + n;
    return axis == 0 ? strip.node(difference, n, before(by, i, stride))
                     : strip.half(difference, n, after(by, i, stride));
  };
#pragma omp simd
  for (Index n = 0; n < strip.count; ++n) {
    const Index i = strip.begin + n;
    const Real normal = axis == 0 ? strip.half(0, n, after(along, i, stride))
                                  : strip.node(0, n, before(along, i, stride));
    f.sxx[i] += to_xx * normal;
    f.syy[i] += to_yy * normal;
    f.szz[i] += to_zz * normal;
    first[i] += to_first * shear(1, n, first_by);
  }
  if (domain.free_surface && k == domain.nz - 1) return;  // Half a cell above the surface.
#pragma omp simd
  for (Index n = 0; n < strip.count; ++n) {
    second[strip.begin + n] += m.shear_half * shear(2, n, second_by);
  }
}

/// Stresses on a free surface are antisymmetric about it (Levander, Geophysics 53, 1988): a plane
/// below writes its mirror image above, so that no other thread has to.
template <class Real>
inline void mirror_row(const Domain<Real>& domain, const Row<Real>& f, Index k) {
  const Index below = domain.nz - 1 - k;
  const Index nx = domain.nx;
  if (below < 1 || below > 2) return;
  const Index up = (2 * below - 1) * domain.plane;
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.sxz[i + up] = -f.sxz[i];
    f.syz[i + up] = -f.syz[i];
  }
  if (below == 2) return;
#pragma omp simd
  for (Index i = 0; i < nx; ++i) f.szz[i + 2 * domain.plane] = -f.szz[i];
}

template <class Real>
void stresses(const Domain<Real>& domain, const Rows& rows) {
  const Index k = rows.plane;
  for (Index j = rows.first; j < rows.last; ++j) {
    const Row<Real> f = row_of(domain, j, k);
    normal_row(domain, f, k);
    shear_row(domain, f, k);
    for_each_strip(domain, j, k, true, [&](const auto& strip) { add_faces(domain, f, k, strip); });
    if (domain.free_surface) mirror_row(domain, f, k);
  }
}

}  // namespace

const StressKernels<double> stresses_double = {stresses<double>};
const StressKernels<float> stresses_float = {stresses<float>};

}  // namespace homenode::workloads::seismic::HN_ISA
