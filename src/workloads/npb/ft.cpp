// FT as a program: diffusion by Fourier transforms, and the checksums that are right (NAS-91-002).
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

#include "workloads/npb/ft_kernel.h"
#include "workloads/npb/table.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {
namespace {

// The checksums that are right after each iteration.
struct FtChecksum {
  double real;
  double imaginary;
};

// NPB 3.4, one line for each iteration.
constexpr std::array<FtChecksum, 6> class_s{{
    {554.6087004964, 484.5363331978},
    {554.6385409189, 486.5304269511},
    {554.6148406171, 488.3910722336},
    {554.5423607415, 490.1273169046},
    {554.4255039624, 491.7475857993},
    {554.2683411902, 493.2597244941},
}};
constexpr std::array<FtChecksum, 6> class_w{{
    {567.3612178944, 529.3246849175},
    {563.1436885271, 528.2149986629},
    {559.402408997, 527.0996558037},
    {556.069804702, 526.0027904925},
    {553.089899125, 524.9400845633},
    {550.4159734538, 523.9212247086},
}};
constexpr std::array<FtChecksum, 6> class_a{{
    {504.6735008193, 511.404790551},
    {505.9412319734, 509.8809666433},
    {506.9376896287, 509.8144042213},
    {507.7892868474, 510.1336130759},
    {508.5233095391, 510.4914655194},
    {509.1487099959, 510.7917842803},
}};
constexpr std::array<FtChecksum, 20> class_b{{
    {517.7643571579, 507.7803458597}, {515.4521291263, 508.8249431599},
    {514.6409228649, 509.6208912659}, {514.2378756213, 510.1023387619},
    {513.9626667737, 510.3976610617}, {513.7423460082, 510.5948019802},
    {513.5547056878, 510.7404165783}, {513.3910925466, 510.8576573661},
    {513.247070539, 510.9577278523},  {513.1197729984, 511.0460304483},
    {513.0070319283, 511.12524338},   {512.9070537032, 511.1968077718},
    {512.8182883502, 511.2616233064}, {512.7393733383, 511.3203605551},
    {512.669106202, 511.3735928093},  {512.6064276004, 511.4218460548},
    {512.550407657, 511.465613976},   {512.500233172, 511.5053595966},
    {512.4551951846, 511.5415130407}, {512.4146770029, 511.5744692211},
}};
constexpr std::array<FtChecksum, 20> class_c{{
    {519.5078707457, 514.9019699238}, {515.5422171134, 512.7578201997},
    {514.4678022222, 512.2251847514}, {514.0150594328, 512.1090289018},
    {513.755042681, 512.1143685824},  {513.5811056728, 512.1496764568},
    {513.4569343165, 512.1870921893}, {513.3651975661, 512.2193250322},
    {513.2955192805, 512.2454735794}, {513.2410471738, 512.2663649603},
    {513.1971141679, 512.2830879827}, {513.1605205716, 512.2965869718},
    {513.1290734194, 512.3075927445}, {513.1012720314, 512.3166486553},
    {513.0760908195, 512.3241541685}, {513.0528295923, 512.3304037599},
    {513.0310107773, 512.3356167976}, {513.0103090133, 512.3399592211},
    {512.9905029333, 512.3435588985}, {512.9714421109, 512.3465164008},
}};
constexpr std::array<FtChecksum, 25> class_d{{
    {512.2230065252, 511.8534037109}, {512.0463975765, 511.7061181082},
    {511.986576676, 511.7096364601},  {511.9518799488, 511.737386395},
    {511.9269088223, 511.7680347632}, {511.9082416858, 511.7967875532},
    {511.8943814638, 511.8225281841}, {511.8842385057, 511.8451629348},
    {511.8769435632, 511.8649119387}, {511.8718203448, 511.8820803844},
    {511.8683569061, 511.8969781011}, {511.8661708593, 511.9098918835},
    {511.864976895, 511.9210777066},  {511.8645605626, 511.9307604484},
    {511.8647586618, 511.9391362671}, {511.8654451572, 511.9463757241},
    {511.8665212451, 511.9526269238}, {511.8679083821, 511.9580184108},
    {511.8695433664, 511.9626617538}, {511.8713748264, 511.9666538138},
    {511.8733606701, 511.9700787219}, {511.8754661974, 511.9730095953},
    {511.8776626738, 511.9755100241}, {511.8799262314, 511.9776353561},
    {511.8822370068, 511.979433806},
}};

/// As many as the class has iterations.
std::span<const FtChecksum> ft_reference(Class size) {
  switch (size) {
    case Class::S:
      return class_s;
    case Class::W:
      return class_w;
    case Class::A:
      return class_a;
    case Class::B:
      return class_b;
    case Class::C:
      return class_c;
    case Class::D:
      return class_d;
  }
  return {};
}

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
    return {{"u0", 2 * bytes, Sharing::all},
            {"u1", 2 * bytes, Sharing::parts},
            {"twiddle", bytes, Sharing::all}};
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

    TimedPart part;
    part.begin();
    ProgramOutcome outcome;
    outcome.checks = solve(job, reference_.size());
    outcome.seconds = part.end();
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

std::unique_ptr<Program> make_ft(Class size) {
  return std::make_unique<Ft>(size);
}

}  // namespace

constinit const Benchmark ft_benchmark{
    "ft", "diffusion in a cube by Fourier transforms in three dimensions",
    "own planes, and lines across the planes of all threads", make_ft};

}  // namespace homenode::workloads::npb
