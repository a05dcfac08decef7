// New stresses from the velocities around them, and what the absorbing faces add (see
// velocity_kernel.cpp); and the mirror images above a free surface.
#include "workloads/seismic/differences.h"
#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic::HN_ISA {
namespace {

template <class Real>
inline void normal_cells(const Domain<Real>& domain, const Row<Real>& f, Index k,
                         const Cells& cells) {
  const Plane<Real> at = plane_of(domain, k);
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    const Real dx = after(f.vx, i, 1);
    const Real dy = before(f.vy, i, at.y);
    const Real dz = at.m.near_z * (f.vz[i] - f.vz[i - at.z]) +
                    at.m.far_z * (f.vz[i + at.z] - f.vz[i - 2 * at.z]);
    f.sxx[i] += at.m.along * dx + at.m.across * dy + at.m.sideward * dz;
    f.syy[i] += at.m.across * dx + at.m.along * dy + at.m.sideward * dz;
    f.szz[i] += at.m.upward * (dx + dy) + at.m.vertical * dz;
  }
}

template <class Real>
inline void shear_cells(const Domain<Real>& domain, const Row<Real>& f, Index k,
                        const Cells& cells) {
  const Plane<Real> at = plane_of(domain, k);
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    f.sxy[i] += at.m.shear * (after(f.vx, i, at.y) + before(f.vy, i, 1));
  }
  if (domain.free_surface && k == domain.nz - 1) return;  // Half a cell above the surface.
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    const Real dz = at.m.near_z * (f.vx[i + at.z] - f.vx[i]) +
                    at.m.far_z * (f.vx[i + 2 * at.z] - f.vx[i - at.z]);
    f.sxz[i] += at.m.shear_half * (dz + before(f.vz, i, 1));
  }
#pragma omp simd
  for (Index i = cells.first; i < cells.last; ++i) {
    const Real dz = at.m.near_z * (f.vy[i + at.z] - f.vy[i]) +
                    at.m.far_z * (f.vy[i + 2 * at.z] - f.vy[i - at.z]);
    f.syz[i] += at.m.shear_half * (dz + after(f.vz, i, at.y));
  }
}

/// The lines of the next row that no row before it has read.
template <class Real>
inline std::array<const Real*, component_count> next_of(const Domain<Real>& domain,
                                                        const Row<Real>& f) {
  const Index y = domain.row;
  const Index z = domain.plane;
  return {f.vx + 2 * z + y, f.vy + 2 * z + y, f.vz + z + y, f.sxx + y, f.syy + y,
          f.szz + y,        f.sxy + y,        f.sxz + y,    f.syz + y};
}

/// What the faces of one axis add to, and by which velocities: the normal stresses by the one along
/// it, and the two shear stresses that it has a part in, each by another.
template <class Real>
struct FaceSums {
  const Real* along;
  const Real* first_by;
  const Real* second_by;
  Real* first;
  Real* second;
  Real to_xx, to_yy, to_zz, to_first;
};

template <int axis, class Real>
inline FaceSums<Real> face_sums(const Row<Real>& f, const PlaneFactors<Real>& m) {
  if constexpr (axis == 0) {
    return {f.vx, f.vy, f.vz, f.sxy, f.sxz, m.along, m.across, m.upward, m.shear};
  } else if constexpr (axis == 1) {
    return {f.vy, f.vx, f.vz, f.sxy, f.syz, m.across, m.along, m.upward, m.shear};
  } else {
    return {f.vz, f.vx, f.vy, f.sxz, f.syz, m.sideward, m.sideward, m.vertical, m.shear_half};
  }
}

template <int axis, class Real>
inline void add_faces(const Domain<Real>& domain, const Row<Real>& f, Index k,
                      const Strip<axis, Real>& strip) {
  const PlaneFactors<Real> m = domain.factors[k];
  const Index stride = stride_of<axis>(domain);
  const FaceSums<Real> sums = face_sums<axis>(f, m);
  const auto shear = [&](Index difference, Index n, const Real* by) {
    const Index i = strip.begin + n;
    return axis == 0 ? strip.node(difference, n, before(by, i, stride))
                     : strip.half(difference, n, after(by, i, stride));
  };
  for_each_piece(strip.count, strip.ahead(), [&](const Cells& cells) {
#pragma omp simd
    for (Index n = cells.first; n < cells.last; ++n) {
      const Index i = strip.begin + n;
      const Real normal = axis == 0 ? strip.half(0, n, after(sums.along, i, stride))
                                    : strip.node(0, n, before(sums.along, i, stride));
      f.sxx[i] += sums.to_xx * normal;
      f.syy[i] += sums.to_yy * normal;
      f.szz[i] += sums.to_zz * normal;
      sums.first[i] += sums.to_first * shear(1, n, sums.first_by);
    }
  });
  if (domain.free_surface && k == domain.nz - 1) return;  // Half a cell above the surface.
#pragma omp simd
  for (Index n = 0; n < strip.count; ++n) {
    sums.second[strip.begin + n] += m.shear_half * shear(2, n, sums.second_by);
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
  for_each_row(domain, rows, [&](const Row<Real>& f, Index j) {
    for_each_piece(domain.nx, next_of(domain, f), [&](const Cells& cells) {
      normal_cells(domain, f, k, cells);
      shear_cells(domain, f, k, cells);
    });
    for_each_strip(domain, j, k, true, [&](const auto& strip) { add_faces(domain, f, k, strip); });
    if (domain.free_surface) mirror_row(domain, f, k);
  });
}

}  // namespace

const StressKernels<double> stresses_double = {stresses<double>};
const StressKernels<float> stresses_float = {stresses<float>};

}  // namespace homenode::workloads::seismic::HN_ISA
