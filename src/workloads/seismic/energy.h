// The energy of a wave field, from sums of squares over planes. Pure.
#pragma once

#include <span>

#include "workloads/seismic/kernels.h"
#include "workloads/seismic/scene.h"

namespace homenode::workloads::seismic {

/// Kinetic and strain energy in J, added plane by plane. Velocities and stresses are half a step
/// apart, so it sways a little where waves are; it is exact where nothing moves.
double energy_of(const Scene& scene, std::span<const Squares> planes);

}  // namespace homenode::workloads::seismic
