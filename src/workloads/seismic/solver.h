// Runs a simulation in memory that it is given, with a team of threads that each own a slab of
// planes. Every value is computed by the same operations in the same order whatever the number of
// threads is. It reads the clock for the time of its steps, and nothing else of the world.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/seismic/scene.h"
#include "workloads/seismic/time_block.h"

namespace homenode::workloads::seismic {

/// A plane of the grid after the last step, rows along the first axis left.
struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> values = {};  ///< height rows of width values, the first row at the bottom.
};

/// Which plane, and what of it: the length of the velocity vector, or one component.
struct Slice {
  std::size_t axis = 1;  ///< It is cut across this axis: 0 x, 1 y, 2 z.
  std::size_t cell = 0;
  int component = -1;  ///< As in Component; -1: the length of the velocity.
};

struct Recording {
  double seconds = 0;                       ///< Of all steps.
  std::vector<std::vector<double>> traces;  ///< [receiver][step]; velocities at (step + 1/2)
                                            ///< step_s, stresses at (step + 1) step_s.
  std::vector<double> energy_j;             ///< After every energy_every-th step, then the last.
  std::vector<Picture> pictures;            ///< As many as slices were asked for.
};

/// However steps are blocked, the result is the same bits. pre: fault_of(scene) is empty; memory[i]
/// is arrays_of(scene)[i], of any content; block's numbers are not 0.
Recording simulate(const Scene& scene, std::span<void* const> memory, unsigned threads,
                   std::span<const Slice> slices = {}, const TimeBlock& block = {});

}  // namespace homenode::workloads::seismic
