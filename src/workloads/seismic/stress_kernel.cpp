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

template <class Real>
inline void stress_faces_x(const Domain<Real>& domain, const Row<Real>& f, Index j, Index k) {
  const Index w = domain.width;
  const Absorber<Real>& a = domain.absorber[0];
  const Index next = domain.ny * 2 * w;
  Real* const psi = domain.psi[0] + (k * 6 * domain.ny + j) * 2 * w + 3 * next;
  const PlaneFactors<Real> m = domain.factors[k];
  const bool surface = domain.free_surface && k == domain.nz - 1;
  for (Index side = 0; side < 2; ++side) {
    const Index begin = side * w;
    const Index shift = side == 0 ? 0 : domain.nx - 2 * w;
#pragma omp simd
    for (Index n = begin; n < begin + w; ++n) {
      const Index i = n + shift;
      const Real normal = absorb(psi[n], a.keep_half[n], a.take_half[n], after(f.vx, i, 1));
      f.sxx[i] += m.along * normal;
      f.syy[i] += m.across * normal;
      f.szz[i] += m.upward * normal;
      f.sxy[i] += m.shear * absorb(psi[next + n], a.keep[n], a.take[n], before(f.vy, i, 1));
    }
    if (surface) continue;
#pragma omp simd
    for (Index n = begin; n < begin + w; ++n) {
      const Index i = n + shift;
      f.sxz[i] +=
          m.shear_half * absorb(psi[2 * next + n], a.keep[n], a.take[n], before(f.vz, i, 1));
    }
  }
}

template <class Real>
inline void stress_faces_y(const Domain<Real>& domain, const Row<Real>& f, Index n, Index k) {
  const Absorber<Real>& a = domain.absorber[1];
  const Index y = domain.row;
  const Index next = 2 * domain.width * y;
  Real* const psi = domain.psi[1] + k * 6 * next + n * y + 3 * next;
  const Index nx = domain.nx;
  const PlaneFactors<Real> m = domain.factors[k];
  const Real keep = a.keep[n], take = a.take[n];
  const Real keep_half = a.keep_half[n], take_half = a.take_half[n];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    const Real normal = absorb(psi[next + i], keep, take, before(f.vy, i, y));
    f.sxx[i] += m.across * normal;
    f.syy[i] += m.along * normal;
    f.szz[i] += m.upward * normal;
    f.sxy[i] += m.shear * absorb(psi[i], keep_half, take_half, after(f.vx, i, y));
  }
  if (domain.free_surface && k == domain.nz - 1) return;
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.syz[i] += m.shear_half * absorb(psi[2 * next + i], keep_half, take_half, after(f.vz, i, y));
  }
}

template <class Real>
inline void stress_faces_z(const Domain<Real>& domain, const Row<Real>& f, Index n, Index j,
                           Index k) {
  const Absorber<Real>& a = domain.absorber[2];
  const Index z = domain.plane;
  const Index next = domain.ny * domain.row;
  Real* const psi = psi_of_plane(domain, n, j) + 3 * next;
  const Index nx = domain.nx;
  const PlaneFactors<Real> m = domain.factors[k];
  const Real keep = a.keep[n], take = a.take[n];
  const Real keep_half = a.keep_half[n], take_half = a.take_half[n];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    const Real normal = absorb(psi[2 * next + i], keep, take, before(f.vz, i, z));
    f.sxx[i] += m.sideward * normal;
    f.syy[i] += m.sideward * normal;
    f.szz[i] += m.vertical * normal;
    f.sxz[i] += m.shear_half * absorb(psi[i], keep_half, take_half, after(f.vx, i, z));
    f.syz[i] += m.shear_half * absorb(psi[next + i], keep_half, take_half, after(f.vy, i, z));
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
  const Index in_z = face_entry(k, domain.nz, domain.width, !domain.free_surface);
  for (Index j = rows.first; j < rows.last; ++j) {
    const Row<Real> f = row_of(domain, j, k);
    normal_row(domain, f, k);
    shear_row(domain, f, k);
    if (domain.width > 0) {
      stress_faces_x(domain, f, j, k);
      const Index in_y = face_entry(j, domain.ny, domain.width, true);
      if (in_y >= 0) stress_faces_y(domain, f, in_y, k);
      if (in_z >= 0) stress_faces_z(domain, f, in_z, j, k);
    }
    if (domain.free_surface) mirror_row(domain, f, k);
  }
}

}  // namespace

const StressKernels<double> stresses_double = {stresses<double>};
const StressKernels<float> stresses_float = {stresses<float>};

}  // namespace homenode::workloads::seismic::HN_ISA
