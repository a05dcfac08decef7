#include "workloads/npb/ep.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "workloads/npb/ep_kernel.h"
#include "workloads/program/stopwatch.h"

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

/// More than threads, so that they share evenly; and no matter how many, the sums are the same.
constexpr std::size_t tally_count = 4096;

class Ep final : public Program {
 public:
  explicit Ep(Class size) : values_(ep_values[index_of(size)]) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return {{"tallies", tally_count * sizeof(EpTally), Sharing::parts}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 1);
    auto* const tallies = static_cast<EpTally*>(memory[0]);
    const Stopwatch stopwatch;
    ep_kernel_here().tally_all({values_.log2_pairs, tallies, tally_count, threads});
    EpTally all;
    double pairs = 0.0;
    std::for_each(tallies, tallies + tally_count, [&](const EpTally& tally) {
      all.sum_x += tally.sum_x;
      all.sum_y += tally.sum_y;
      all.absolute_x += tally.absolute_x;
      all.absolute_y += tally.absolute_y;
      for (const std::uint64_t count : tally.pairs) pairs += static_cast<double>(count);
    });
    ProgramOutcome outcome;
    outcome.seconds = stopwatch.seconds();
    outcome.operations = static_cast<double>(std::uint64_t{2} << values_.log2_pairs);
    outcome.unit = "Mop/s";
    outcome.checks = {{"sum of x", all.sum_x, values_.sum_x, 1e-8},
                      {"sum of y", all.sum_y, values_.sum_y, 1e-8},
                      {"sum of |x|", all.absolute_x, values_.absolute_x, 1e-8},
                      {"sum of |y|", all.absolute_y, values_.absolute_y, 1e-8},
                      {"pairs", pairs, values_.pairs, 0.0}};
    return outcome;
  }

 private:
  const EpValues& values_;
};

}  // namespace

std::unique_ptr<Program> make_ep(Class size) {
  return std::make_unique<Ep>(size);
}

}  // namespace homenode::workloads::npb
