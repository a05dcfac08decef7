#include "workloads/npb/ft.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#include "workloads/npb/ft_kernel.h"
#include "workloads/npb/ft_reference.h"
#include "workloads/program/stopwatch.h"

namespace homenode::workloads::npb {
namespace {

using Sides = std::array<std::size_t, 3>;

constexpr std::array<Sides, classes.size()> ft_sides{{
    {64, 64, 64},
    {128, 128, 32},
    {256, 256, 128},
    {512, 256, 256},
    {512, 512, 512},
    {2048, 1024, 1024},
}};

/// Small tables that all threads read.
struct Tables {
  std::vector<double> root_real;
  std::vector<double> root_imaginary;
  std::array<std::vector<double>, 3> factor;  // Along x, y and z.
};

Tables make_tables(const Sides& sides) {
  Tables tables;
  const std::size_t longest = *std::ranges::max_element(sides);
  for (std::size_t k = 0; k < longest; ++k) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(longest);
    tables.root_real.push_back(std::cos(angle));
    tables.root_imaginary.push_back(-std::sin(angle));
  }
  constexpr double alpha = 1e-6;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t k = 0; k < sides[axis]; ++k) {
      // Frequencies above the middle stand for negative ones.
      const auto distance = static_cast<double>(std::min(k, sides[axis] - k));
      tables.factor[axis].push_back(
          std::exp(-4.0 * alpha * std::numbers::pi * std::numbers::pi * distance * distance));
    }
  }
  return tables;
}

class Ft final : public Program {
 public:
  explicit Ft(Class size) : sides_(ft_sides[index_of(size)]), reference_(ft_reference(size)) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    const std::size_t bytes = cells() * sizeof(double);
    return {{"u0", 2 * bytes, Sharing::parts},
            {"u1", 2 * bytes, Sharing::parts},
            {"twiddle", bytes, Sharing::parts}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 3);
    const std::size_t longest = *std::ranges::max_element(sides_);
    std::vector<double> scratch(threads * ft_scratch(longest));
    FtJob job;
    job.nx = sides_[0];
    job.ny = sides_[1];
    job.nz = sides_[2];
    job.spectrum = static_cast<double*>(memory[0]);
    job.field = static_cast<double*>(memory[1]);
    job.factor = static_cast<double*>(memory[2]);
    job.longest = longest;
    job.scratch = scratch.data();
    job.threads = threads;
    solve(job, 0);  // Once without steps and untimed, as specified.

    const Stopwatch stopwatch;
    ProgramOutcome outcome;
    outcome.checks = solve(job, reference_.size());
    outcome.seconds = stopwatch.seconds();
    const auto size = static_cast<double>(cells());
    outcome.operations =
        size * (14.8157 + 7.19641 * std::log(size) +
                (5.23518 + 7.21113 * std::log(size)) * static_cast<double>(reference_.size()));
    outcome.unit = "Mop/s";
    return outcome;
  }

 private:
  [[nodiscard]] std::size_t cells() const { return sides_[0] * sides_[1] * sides_[2]; }

  std::vector<Check> solve(FtJob job, std::size_t steps) {
    const Tables tables = make_tables(sides_);
    job.root_real = tables.root_real.data();
    job.root_imaginary = tables.root_imaginary.data();
    job.factor_x = tables.factor[0].data();
    job.factor_y = tables.factor[1].data();
    job.factor_z = tables.factor[2].data();
    ft_kernel_here().begin(job);
    std::vector<Check> checks;
    for (std::size_t step = 0; step < steps; ++step) {
      ft_kernel_here().step(job);
      const FtChecksum sum = checksum(job);
      const FtChecksum& expected = reference_[step];
      const double error =
          std::hypot(sum.real - expected.real, sum.imaginary - expected.imaginary) /
          std::hypot(expected.real, expected.imaginary);
      checks.push_back({"error of checksum " + std::to_string(step + 1), error, 0.0, 1e-12});
    }
    return checks;
  }

  /// 1024 numbers of the field, spread over it.
  [[nodiscard]] FtChecksum checksum(const FtJob& job) const {
    FtChecksum sum{0.0, 0.0};
    for (std::size_t j = 1; j <= 1024; ++j) {
      const std::size_t at = ((5 * j % job.nz) * job.ny + 3 * j % job.ny) * job.nx + j % job.nx;
      sum.real += job.field[2 * at];
      sum.imaginary += job.field[2 * at + 1];
    }
    const auto size = static_cast<double>(cells());
    return {sum.real / size, sum.imaginary / size};
  }

  Sides sides_;
  std::span<const FtChecksum> reference_;
};

}  // namespace

std::unique_ptr<Program> make_ft(Class size) {
  return std::make_unique<Ft>(size);
}

}  // namespace homenode::workloads::npb
