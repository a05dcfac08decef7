#include "workloads/seismic/program.h"

#include <cmath>
#include <utility>

#include "workloads/program/program.h"
#include "workloads/seismic/ladder.h"
#include "workloads/seismic/layout.h"

namespace homenode::workloads::seismic {

SeismicProgram::SeismicProgram(Scene scene, std::vector<Slice> slices, bool compare,
                               TimeBlock block)
    : scene_(std::move(scene)), slices_(std::move(slices)), compare_(compare), block_(block) {}

std::vector<ArrayNeed> SeismicProgram::arrays() const {
  return arrays_of(scene_);
}

std::size_t SeismicProgram::recording_bytes() const {
  std::size_t columns = 2 * scene_.receivers.size();  // What was recorded, and what is expected.
  for (const Receiver& receiver : scene_.receivers) {
    columns += taps(receiver.component, receiver.point).size();
  }
  return columns * scene_.steps * sizeof(double);
}

ProgramOutcome SeismicProgram::run(std::span<void* const> memory, unsigned threads) {
  recording_ = simulate(scene_, memory, threads, slices_, block_);
  if (compare_ && expected_.empty()) expected_ = exact_traces(scene_);
  ProgramOutcome outcome;
  outcome.seconds = recording_.seconds;
  outcome.unit = "Mcells/s";
  outcome.operations = static_cast<double>(scene_.steps);
  for (const std::size_t cells : scene_.cells) outcome.operations *= static_cast<double>(cells);
  const double energy_j = recording_.energy_j.back();
  if (!first_energy_j_) first_energy_j_ = energy_j;
  outcome.checks.push_back({"energy as in the first run", energy_j, *first_energy_j_, 0.0});
  outcome.checks.push_back({"infinite energies", std::isfinite(energy_j) ? 0.0 : 1.0, 0.0, 0.0});
  if (!expected_.empty()) {
    outcome.checks.push_back(
        {"misfit to the closed form", misfit(recording_.traces, expected_), 0.0, misfit_tolerance});
  }
  return outcome;
}

Description describe() {
  Description described =
      description_of("seismic", "waves in the ground (the problem of Ondes3D), every run checked",
                     "--size cells, 9 fields and the material", "slabs with neighbours' planes",
                     "Ondes 3D: Dupros et al.; C-PML: Komatitsch and Martin 2007");
  described.parameters = {
      free_text("size", "128", "cells along all sides, or along each"),
      whole_number("steps", "150", "time steps", 1),
      one_of("precision", "double", "double or float",
             {{"double", "double", "8 bytes a number."}, {"float", "float", "4 bytes a number."}}),
      one_of("source", "explosion", "explosion, or double-couple (a slip on a fault)",
             {{"explosion", "explosion", "The same push in all directions."},
              {"double-couple", "double couple", "A slip on a fault."}}),
      on_or_off("free-surface", "false",
                "a free surface at the top, in place of an absorbing "
                "face"),
      free_text("layer", "",
                "a layer of the ground from this depth on, in m, kg/m3 and m/s; repeat it for "
                "more, from 0 down (default: 0:2700:6000:3460)"),
      whole_number("time-block", "",
                   "steps to run together on a part of the grid while it is in a cache; the "
                   "result is the same bit for bit, but threads leave their own planes (default: "
                   "what is faster in a short trial; 1 with a strategy, and in the lab)",
                   1, most_steps_together)};
  add_program_parameters(described);
  described.metrics = program_metrics("Mcells/s", "cells and steps");
  return described;
}

}  // namespace homenode::workloads::seismic
