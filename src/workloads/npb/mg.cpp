// MG as a program: Poisson's equation on grids that halve (NAS-91-002).
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "workloads/npb/mg_kernel.h"
#include "workloads/npb/random.h"
#include "workloads/npb/table.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {
namespace {

// The right-hand side: 0 but for +1 where the ten largest and -1 where the ten smallest numbers of
// a random field are.

constexpr std::size_t mg_charge_count = 10;

/// Cells, counted from 0 with x fastest, of a cube of n^3.
struct MgCharges {
  std::array<std::size_t, mg_charge_count> largest{};
  std::array<std::size_t, mg_charge_count> smallest{};
};

using Entry = std::pair<std::uint64_t, std::size_t>;  // A number of the sequence, and its cell.

/// The ten that come first in an order, the first of all at the front.
template <class Before>
class First {
 public:
  void offer(Entry entry) {
    if (kept_.size() == mg_charge_count && !Before()(entry.first, kept_.back().first)) return;
    if (kept_.size() == mg_charge_count) kept_.pop_back();
    const auto later = [](const Entry& a, const Entry& b) { return Before()(a.first, b.first); };
    kept_.insert(std::ranges::upper_bound(kept_, entry, later), entry);
  }
  void offer_all(const First& other) {
    for (const Entry& entry : other.kept_) offer(entry);
  }
  [[nodiscard]] std::array<std::size_t, mg_charge_count> cells() const {
    std::array<std::size_t, mg_charge_count> cells{};
    std::ranges::transform(kept_, cells.begin(), &Entry::second);
    return cells;
  }

 private:
  std::vector<Entry> kept_;
};

/// Looks through the field without keeping it.
MgCharges find_charges(std::size_t n, unsigned threads) {
  First<std::greater<>> largest;
  First<std::less<>> smallest;
  const std::size_t plane = n * n;
#pragma omp parallel num_threads(threads)
  {
    First<std::greater<>> own_largest;
    First<std::less<>> own_smallest;
#pragma omp for schedule(static) nowait
    for (std::size_t z = 0; z < n; ++z) {
      std::uint64_t state = random_after(random_seed, z * plane);
      for (std::size_t cell = z * plane; cell < (z + 1) * plane; ++cell) {
        state = (state * random_multiplier) & random_mask;
        own_largest.offer({state, cell});
        own_smallest.offer({state, cell});
      }
    }
#pragma omp critical(mg_charges)
    {
      largest.offer_all(own_largest);
      smallest.offer_all(own_smallest);
    }
  }
  return {largest.cells(), smallest.cells()};
}

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
    ProgramOutcome outcome;
    TimedPart part;
    part.begin();
    const double norm = mg_kernel_here().solve(job);
    outcome.seconds = part.end();
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

std::unique_ptr<Program> make_mg(Class size) {
  return std::make_unique<Mg>(size);
}

}  // namespace

constinit const Benchmark mg_benchmark{
    "mg", "Poisson's equation on a periodic cube by multigrid",
    "own planes; the coarse grids have fewer planes than threads", make_mg};

}  // namespace homenode::workloads::npb
