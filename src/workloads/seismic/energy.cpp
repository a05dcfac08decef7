#include "workloads/seismic/energy.h"

namespace homenode::workloads::seismic {

double energy_of(const Scene& scene, std::span<const Squares> planes) {
  const auto whole = plane_moduli(scene.layers, scene.planes());
  const auto half = half_plane_moduli(scene.layers, scene.planes());
  double energy = 0.0;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Squares& sums = planes[k];
    energy += 0.5 * (whole[k].density * sums.speeds + half[k].density * sums.speeds_half);
    const double bulk = whole[k].lambda + 2.0 / 3.0 * whole[k].mu;
    energy += sums.traces / (18.0 * bulk);
    if (whole[k].mu > 0.0) {
      energy += (sums.normals - sums.traces / 3.0) / (4.0 * whole[k].mu);
      energy += sums.shears / (2.0 * whole[k].mu);
    }
    if (half[k].mu > 0.0) energy += sums.shears_half / (2.0 * half[k].mu);
  }
  return energy * scene.spacing_m * scene.spacing_m * scene.spacing_m;
}

}  // namespace homenode::workloads::seismic
