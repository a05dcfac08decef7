// New velocities from the stresses around them. The interior knows nothing of the absorbing faces:
// what they add (Komatitsch and Martin, Geophysics 72, 2007, with kappa = 1, so that a stretched
// difference is the plain one plus psi) is added apart.
#include "workloads/seismic/differences.h"
#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic::HN_ISA {
namespace {

template <class Real>
inline void velocity_row(const Domain<Real>& domain, const Row<Real>& f, Index k) {
  const Index nx = domain.nx;
  const Index y = domain.row;
  const Index z = domain.plane;
  const Real light = domain.factors[k].light;
  const Real light_half = domain.factors[k].light_half;
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.vx[i] += light * (before(f.sxx, i, 1) + before(f.sxy, i, y) + before(f.sxz, i, z));
  }
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.vy[i] += light * (after(f.sxy, i, 1) + after(f.syy, i, y) + before(f.syz, i, z));
  }
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.vz[i] += light_half * (after(f.sxz, i, 1) + before(f.syz, i, y) + after(f.szz, i, z));
  }
}

/// The cells of both faces along x: `face` counts 2 width entries, i is the cell.
template <class Real>
inline void velocity_faces_x(const Domain<Real>& domain, const Row<Real>& f, Index j, Index k) {
  const Index w = domain.width;
  const Absorber<Real>& a = domain.absorber[0];
  Real* const psi = domain.psi[0] + (k * 6 * domain.ny + j) * 2 * w;
  const Index next = domain.ny * 2 * w;
  const Real light = domain.factors[k].light;
  const Real light_half = domain.factors[k].light_half;
  for (Index side = 0; side < 2; ++side) {
    const Index begin = side * w;
    const Index shift = side == 0 ? 0 : domain.nx - 2 * w;
#pragma omp simd
    for (Index n = begin; n < begin + w; ++n) {
      const Index i = n + shift;
      f.vx[i] += light * absorb(psi[n], a.keep[n], a.take[n], before(f.sxx, i, 1));
      f.vy[i] += light * absorb(psi[next + n], a.keep_half[n], a.take_half[n], after(f.sxy, i, 1));
      f.vz[i] += light_half *
                 absorb(psi[2 * next + n], a.keep_half[n], a.take_half[n], after(f.sxz, i, 1));
    }
  }
}

template <class Real>
inline void velocity_faces_y(const Domain<Real>& domain, const Row<Real>& f, Index n, Index k) {
  const Absorber<Real>& a = domain.absorber[1];
  const Index y = domain.row;
  const Index next = 2 * domain.width * y;
  Real* const psi = domain.psi[1] + k * 6 * next + n * y;
  const Index nx = domain.nx;
  const Real light = domain.factors[k].light;
  const Real light_half = domain.factors[k].light_half;
  const Real keep = a.keep[n], take = a.take[n];
  const Real keep_half = a.keep_half[n], take_half = a.take_half[n];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.vx[i] += light * absorb(psi[i], keep, take, before(f.sxy, i, y));
    f.vy[i] += light * absorb(psi[next + i], keep_half, take_half, after(f.syy, i, y));
    f.vz[i] += light_half * absorb(psi[2 * next + i], keep, take, before(f.syz, i, y));
  }
}

template <class Real>
inline void velocity_faces_z(const Domain<Real>& domain, const Row<Real>& f, Index n, Index j,
                             Index k) {
  const Absorber<Real>& a = domain.absorber[2];
  const Index z = domain.plane;
  const Index next = domain.ny * domain.row;
  Real* const psi = psi_of_plane(domain, n, j);
  const Index nx = domain.nx;
  const Real light = domain.factors[k].light;
  const Real light_half = domain.factors[k].light_half;
  const Real keep = a.keep[n], take = a.take[n];
  const Real keep_half = a.keep_half[n], take_half = a.take_half[n];
#pragma omp simd
  for (Index i = 0; i < nx; ++i) {
    f.vx[i] += light * absorb(psi[i], keep, take, before(f.sxz, i, z));
    f.vy[i] += light * absorb(psi[next + i], keep, take, before(f.syz, i, z));
    f.vz[i] += light_half * absorb(psi[2 * next + i], keep_half, take_half, after(f.szz, i, z));
  }
}

template <class Real>
void velocities(const Domain<Real>& domain, const Rows& rows) {
  const Index k = rows.plane;
  const Index in_z = face_entry(k, domain.nz, domain.width, !domain.free_surface);
  for (Index j = rows.first; j < rows.last; ++j) {
    const Row<Real> f = row_of(domain, j, k);
    velocity_row(domain, f, k);
    if (domain.width == 0) continue;
    velocity_faces_x(domain, f, j, k);
    const Index in_y = face_entry(j, domain.ny, domain.width, true);
    if (in_y >= 0) velocity_faces_y(domain, f, in_y, k);
    if (in_z >= 0) velocity_faces_z(domain, f, in_z, j, k);
  }
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
