#include "workloads/seismic/program.h"

#include <cmath>
#include <utility>

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
  Description described{
      .name = "seismic",
      .summary = "waves in the ground (the problem of Ondes3D), every run checked",
      .memory = "--size cells, 9 fields and the material",
      .use = "slabs with neighbours' planes",
      .source = "Ondes 3D: Dupros et al.; C-PML: Komatitsch and Martin 2007",
      .schema = "homenode.bench.seismic/1"};
  described.parameters = {
      {.name = "size",
       .kind = ValueKind::text,
       .standard = "128",
       .meaning = "cells along all sides, or along each"},
      {.name = "steps", .standard = "150", .meaning = "time steps", .least = 1},
      {.name = "precision",
       .kind = ValueKind::choice,
       .standard = "double",
       .meaning = "double or float",
       .choices = {{"double", "double", "8 bytes a number."},
                   {"float", "float", "4 bytes a number."}}},
      {.name = "source",
       .kind = ValueKind::choice,
       .standard = "explosion",
       .meaning = "explosion, or double-couple (a slip on a fault)",
       .choices = {{"explosion", "explosion", "The same push in all directions."},
                   {"double-couple", "double couple", "A slip on a fault."}}},
      {.name = "free-surface",
       .kind = ValueKind::flag,
       .standard = "false",
       .meaning = "the ground above, in place of an absorbing face"},
      {.name = "layer",
       .kind = ValueKind::text,
       .meaning = "a layer of the ground from this depth on, in m, kg/m3 and m/s; again for more, "
                  "from 0 down (default: 0:2700:6000:3460)"},
      {.name = "time-block",
       .standard = "1",
       .meaning = "steps that are run together on a part of the grid while it is in a cache; the "
                  "result is the same bits, but threads leave their own planes",
       .least = 1,
       .most = most_steps_together}};
  add_program_parameters(described);
  described.metrics = program_metrics("Mcells/s", "cells and steps");
  return described;
}

}  // namespace homenode::workloads::seismic
