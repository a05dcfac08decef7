// Exact motions of a homogeneous full space, which the solver is held against. Pure.
#pragma once

#include <array>

#include "workloads/seismic/medium.h"
#include "workloads/seismic/source.h"

namespace homenode::workloads::seismic {

/// The velocity (m/s) at `offset_m` from a point source: near, intermediate and far terms of P and
/// S waves. Aki and Richards, Quantitative Seismology, equation 4.29, differentiated in time.
/// pre: offset_m is not 0; the medium is no fluid unless the source is an explosion.
std::array<double, 3> full_space_velocity(const Layer& medium, const Source& source,
                                          const std::array<double, 3>& offset_m, double time_s);

}  // namespace homenode::workloads::seismic
