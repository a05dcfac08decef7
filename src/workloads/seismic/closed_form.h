// Exact motions of a homogeneous full space, which the solver is held against. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "workloads/seismic/medium.h"
#include "workloads/seismic/source.h"

namespace homenode::workloads::seismic {

/// The velocity (m/s) at `offset_m` from a point source: near, intermediate and far terms of P and
/// S waves. Aki and Richards, Quantitative Seismology, equation 4.29, differentiated in time.
/// pre: offset_m is not 0; the medium is no fluid unless the source is an explosion.
std::array<double, 3> full_space_velocity(const Layer& medium, const Source& source,
                                          const std::array<double, 3>& offset_m, double time_s);

struct Steps {
  double step_s = 0;
  std::size_t count = 0;
};

/// The same for one component (0 x, 1 y, 2 z) half a step after each step from 0 on, where time
/// alone goes in steps, as in the solver, and space has no grid. A leapfrog step turns a frequency
/// w into 2/step sin(w step/2) and nothing else, so the motion at w is the exact one at that
/// frequency. What a simulation differs from this by is due to its differences in space alone.
/// pre: as above; the source is a gaussian or a pulse, and is 0 to start with.
std::vector<double> full_space_steps(const Layer& medium, const Source& source,
                                     const std::array<double, 3>& offset_m, std::size_t component,
                                     const Steps& steps);

}  // namespace homenode::workloads::seismic
