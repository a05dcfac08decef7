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

}  // namespace homenode::workloads::seismic
