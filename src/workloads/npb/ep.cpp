// EP as a program: pairs of Gaussian deviates (NAS-91-002).
#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <string>

#include "workloads/npb/ep_kernel.h"
#include "workloads/npb/table.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {
namespace {

struct EpValues {
  unsigned log2_pairs;
  double sum_x, sum_y;            // NPB up to 3.4.1.
  double absolute_x, absolute_y;  // NPB 3.4.2.
  double pairs;
};

constexpr std::array<EpValues, classes.size()> ep_values{{
    {24, -3247.83465203474, -6958.407078382297, 10512994.20395306, 10515171.31857535, 13176389},
    {25, -2863.319731645753, -6320.053679109499, 21025055.25182392, 21031622.09578822, 26354769},
    {28, -4295.875165629892, -15807.32573678431, 168223563.2304711, 168219512.3368299, 210832767},
    {30, 40338.15542441498, -26606.69192809235, 672892754.3423024, 672895182.2504275, 843345606},
    {32, 47643.67927995374, -80840.72988043731, 2691444083.862931, 2691519118.724585, 3373275903},
    {36, 198248.1200946593, -102059.6636361769, 43063502808.12112, 43063475718.59157, 53972171957},
}};

/// The pairs by annulus: of A and B as the report has them, of the others as NPB prints them; of D
/// none are known.
constexpr std::array<std::array<double, ep_annuli>, classes.size()> ep_counts{{
    {6140517, 5865300, 1100361, 68546, 1648, 17},
    {12281576, 11729692, 2202726, 137368, 3371, 36},
    {98257395, 93827014, 17611549, 1110028, 26536, 245},
    {393058470, 375280898, 70460742, 4438852, 105691, 948, 5},
    {1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13},
    {},
}};

/// More than threads, so that they share evenly; and no matter how many, the sums are the same.
constexpr std::size_t tally_count = 4096;

class Ep final : public Program {
 public:
  explicit Ep(Class size)
      : values_(ep_values[index_of(size)]), counts_(ep_counts[index_of(size)]) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return {{"tallies", tally_count * sizeof(EpTally), Sharing::parts}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 1);
    auto* const tallies = static_cast<EpTally*>(memory[0]);
    TimedPart part;
    part.begin();
    ep_kernel_here().tally_all({values_.log2_pairs, tallies, tally_count, threads});
    EpTally all;
    std::for_each(tallies, tallies + tally_count, [&](const EpTally& tally) {
      all.sum_x += tally.sum_x;
      all.sum_y += tally.sum_y;
      all.absolute_x += tally.absolute_x;
      all.absolute_y += tally.absolute_y;
      for (std::size_t i = 0; i < ep_annuli; ++i) all.pairs[i] += tally.pairs[i];
    });
    ProgramOutcome outcome;
    outcome.seconds = part.end();
    outcome.operations = static_cast<double>(std::uint64_t{2} << values_.log2_pairs);
    outcome.unit = "Mop/s";
    outcome.checks = {{"sum of x", all.sum_x, values_.sum_x, 1e-8},
                      {"sum of y", all.sum_y, values_.sum_y, 1e-8},
                      {"sum of |x|", all.absolute_x, values_.absolute_x, 1e-8},
                      {"sum of |y|", all.absolute_y, values_.absolute_y, 1e-8}};
    add_counts(all, outcome.checks);
    return outcome;
  }

 private:
  void add_counts(const EpTally& all, std::vector<Check>& checks) const {
    const std::uint64_t pairs = std::accumulate(all.pairs, all.pairs + ep_annuli, std::uint64_t{0});
    checks.push_back({"pairs", static_cast<double>(pairs), values_.pairs, 0.0});
    if (counts_.front() == 0.0) return;
    for (std::size_t i = 0; i < ep_annuli; ++i) {
      checks.push_back({"pairs in annulus " + std::to_string(i), static_cast<double>(all.pairs[i]),
                        counts_[i], 0.0});
    }
  }

  const EpValues& values_;
  const std::array<double, ep_annuli>& counts_;
};

std::unique_ptr<Program> make_ep(Class size) {
  return std::make_unique<Ep>(size);
}

}  // namespace

constinit const Benchmark ep_benchmark{"ep", "pairs of Gaussian deviates, counted by size",
                                       "each thread alone, almost no memory", make_ep};

}  // namespace homenode::workloads::npb
