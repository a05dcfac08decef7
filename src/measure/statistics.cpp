#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace homenode::measure {
namespace {

/// Of an even number of values, the middle of the two in the middle. pre: not empty.
double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Summary summarise(std::span<const double> values) {
  if (values.empty()) return {};
  Summary summary;
  summary.runs = values.size();
  summary.median = median_of({values.begin(), values.end()});
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  summary.least = *least;
  summary.most = *most;
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::abs(value - summary.median));
  if (summary.median != 0) summary.spread = median_of(distances) / std::abs(summary.median);
  return summary;
}

bool is_noisy(const Summary& summary) {
  return summary.runs < 2 || summary.spread > noisy_spread;
}

}  // namespace homenode::measure
