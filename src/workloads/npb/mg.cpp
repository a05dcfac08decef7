#include "workloads/npb/mg.h"

#include <array>
#include <cassert>

#include "workloads/npb/mg_charges.h"
#include "workloads/npb/mg_kernel.h"
#include "workloads/program/stopwatch.h"

namespace homenode::workloads::npb {
namespace {

using Weights = std::array<double, 3>;
constexpr Weights small_classes{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0};
constexpr Weights large_classes{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0};

struct MgValues {
  std::size_t n;
  int cycles;
  const Weights& smooth;
  double norm;
};

constexpr std::array<MgValues, classes.size()> mg_values{{
    {32, 4, small_classes, 5.307707005734e-05},
    {128, 4, small_classes, 6.467329375339e-06},
    {256, 4, small_classes, 2.433365309069e-06},
    {256, 20, large_classes, 1.800564401355e-06},
    {512, 20, large_classes, 5.70673228574e-07},
    {1024, 50, large_classes, 1.58327506044e-10},
}};

class Mg final : public Program {
 public:
  explicit Mg(Class size) : values_(mg_values[index_of(size)]) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    std::size_t coarse = 0;
    for (std::size_t n = 2; n < values_.n; n *= 2) coarse += mg_cube(n) * sizeof(double);
    const std::size_t fine = mg_cube(values_.n) * sizeof(double);
    return {{"u", fine, Sharing::parts},
            {"r", fine, Sharing::parts},
            {"v", fine, Sharing::parts},
            {"u, coarse", coarse, Sharing::all},
            {"r, coarse", coarse, Sharing::all}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 5);
    const auto doubles = [&](std::size_t i) { return static_cast<double*>(memory[i]); };
    std::vector<MgLevel> levels;
    std::size_t offset = 0;
    for (std::size_t n = 2; n < values_.n; n *= 2) {
      levels.push_back({n, doubles(3) + offset, doubles(4) + offset});
      offset += mg_cube(n);
    }
    levels.push_back({values_.n, doubles(0), doubles(1)});
    std::vector<MgShare> shares(threads);
    MgJob job{levels.data(), levels.size(), doubles(2), values_.smooth.data(), 1,
              shares.data(), threads};

    prepare(job);
    mg_kernel_here().solve(job);  // One cycle untimed, as specified.
    prepare(job);
    job.cycles = values_.cycles;
    const Stopwatch stopwatch;
    const double norm = mg_kernel_here().solve(job);
    ProgramOutcome outcome;
    outcome.seconds = stopwatch.seconds();
    const auto n = static_cast<double>(values_.n);
    outcome.operations = 58.0 * values_.cycles * n * n * n;
    outcome.unit = "Mop/s";
    outcome.checks = {{"norm of the residual", norm, values_.norm, 1e-8}};
    return outcome;
  }

 private:
  void prepare(const MgJob& job) const {
    const std::size_t n = values_.n;
    mg_kernel_here().clear(job.levels[job.level_count - 1].u, n, job.threads);
    mg_kernel_here().clear(job.v, n, job.threads);
    const auto cell = [&](std::size_t number) -> double& {
      const std::size_t x = number % n;
      const std::size_t y = number / n % n;
      const std::size_t z = number / n / n;
      return job.v[((z + 1) * (n + 2) + y + 1) * (n + 2) + x + 1];
    };
    const MgCharges charges = find_charges(n, job.threads);
    for (const std::size_t number : charges.largest) cell(number) = 1.0;
    for (const std::size_t number : charges.smallest) cell(number) = -1.0;
  }

  const MgValues& values_;
};

}  // namespace

std::unique_ptr<Program> make_mg(Class size) {
  return std::make_unique<Mg>(size);
}

}  // namespace homenode::workloads::npb
