#include "workloads/seismic/grid.h"

#include <algorithm>

#include "workloads/seismic/absorbing.h"

namespace homenode::workloads::seismic {

template <class Real>
Grid<Real>::Grid(const Scene& scene, const Layout& layout, std::span<void* const> memory)
    : scene_(scene), layout_(layout) {
  domain_.nx = static_cast<std::ptrdiff_t>(scene_.cells[0]);
  domain_.ny = static_cast<std::ptrdiff_t>(scene_.cells[1]);
  domain_.nz = static_cast<std::ptrdiff_t>(scene_.cells[2]);
  domain_.row = static_cast<std::ptrdiff_t>(layout_.row);
  domain_.plane = static_cast<std::ptrdiff_t>(layout_.plane);
  domain_.width = static_cast<std::ptrdiff_t>(scene_.absorbing_cells);
  domain_.free_surface = scene_.free_surface;
  for (std::size_t c = 0; c < component_count; ++c) {
    starts_[c] = static_cast<Real*>(memory[c]) + c * layout_.skew;
    domain_.field[c] = starts_[c] + planes_of_zeros * layout_.plane;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    domain_.psi[axis] = static_cast<Real*>(memory[component_count + axis]);
  }
  factors_ = static_cast<PlaneFactors<Real>*>(memory[array_count - 1]);
  domain_.factors = factors_;
  std::fill_n(domain_.absorber, 3, prepare_faces());
}

template <class Real>
Absorber<Real> Grid<Real>::prepare_faces() {
  const AbsorbingProfile profile =
      absorbing_profile({scene_.absorbing_cells, scene_.spacing_m, scene_.step_s,
                         fastest_m_s(scene_.layers), scene_.frequency_hz, scene_.reflection});
  for (const auto* part : {&profile.keep, &profile.take, &profile.keep_half, &profile.take_half}) {
    for (const double value : *part) profile_.push_back(static_cast<Real>(value));
  }
  const std::size_t entries = 2 * scene_.absorbing_cells;
  const Real* const at = profile_.data();
  return {at, at + entries, at + 2 * entries, at + 3 * entries};
}

template <class Real>
void Grid<Real>::clear(const Slab& padded) const {
  for (Real* const start : starts_) {
    std::fill(start + padded.first * layout_.plane, start + padded.last * layout_.plane, Real(0));
  }
  const std::size_t planes = scene_.cells[2];
  for (std::size_t p = padded.first; p < padded.last; ++p) {
    if (p < planes_of_zeros || p >= planes + planes_of_zeros) continue;
    const std::size_t k = p - planes_of_zeros;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::size_t n = k;
      if (axis == 2 && k >= scene_.absorbing_cells) n = k + 2 * scene_.absorbing_cells - planes;
      // Planes between the faces along z wrap to numbers beyond the last.
      const bool between =
          axis == 2 && k >= scene_.absorbing_cells && k < planes - scene_.absorbing_cells;
      if (between || n >= layout_.psi_planes[axis]) continue;
      std::fill_n(domain_.psi[axis] + n * layout_.psi_plane[axis], layout_.psi_plane[axis],
                  Real(0));
    }
  }
}

template <class Real>
void Grid<Real>::write_factors() const {
  const auto exact = plane_factors(scene_.layers, scene_.planes());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const PlaneFactors<double>& f = exact[k];
    const auto real = [](double value) { return static_cast<Real>(value); };
    factors_[k] = {real(f.light),      real(f.light_half), real(f.along),    real(f.across),
                   real(f.upward),     real(f.sideward),   real(f.vertical), real(f.shear),
                   real(f.shear_half), real(f.near_z),     real(f.far_z)};
  }
}

template class Grid<double>;
template class Grid<float>;

}  // namespace homenode::workloads::seismic
