// The seismic code as a program under test: a homogeneous full space with one source in the middle,
// whose motion is known exactly, so that every run is checked against it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/program/description.h"
#include "workloads/program/program.h"
#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::workloads::seismic {

class SeismicProgram final : public Program {
 public:
  /// pre: fault_of(scene) is empty; one source in one layer without a free surface where
  /// `compare`, which holds the receivers against the closed form, is set.
  SeismicProgram(Scene scene, std::vector<Slice> slices, bool compare, TimeBlock block = {});

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override;
  /// Beside the arrays: of what the receivers record, and what is expected of them.
  [[nodiscard]] std::size_t recording_bytes() const;

  /// Mcells/s: cells times steps. Checks the traces, that the energy is a number, and that it is
  /// the same in every run.
  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override;

  [[nodiscard]] const Scene& scene() const { return scene_; }
  /// The exact traces, after a run; empty where they are not compared.
  [[nodiscard]] const std::vector<std::vector<double>>& expected() const { return expected_; }
  /// Of the latest run.
  [[nodiscard]] const Recording& recording() const { return recording_; }

 private:
  Scene scene_;
  std::vector<Slice> slices_;
  bool compare_ = false;
  TimeBlock block_;
  std::vector<std::vector<double>> expected_;
  std::optional<double> first_energy_j_;
  Recording recording_;
};

/// Of the traces' misfit, where a source is made of waves of 7 cells and more.
inline constexpr double misfit_tolerance = 0.01;

/// Bytes that a cell and a step cannot do without: velocities read and written for the stresses
/// read, and stresses read and written for the velocities read.
constexpr double useful_bytes(bool single_precision) {
  return (single_precision ? 4.0 : 8.0) * (3 * 2 + 6 + 6 * 2 + 3);
}

/// What `bench seismic` says of itself.
Description describe();

/// Of `bench seismic`: more together reach over most of any grid that is worth it.
inline constexpr std::size_t most_steps_together = 64;

}  // namespace homenode::workloads::seismic
