#include "measure/statistics.h"

#include <algorithm>
#include <cassert>
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

Summary summarise(std::span<const double> values, std::span<const double> away) {
  assert(values.size() == away.size());
  Summary summary = summarise(values);
  if (!away.empty()) summary.away = median_of({away.begin(), away.end()});
  return summary;
}

bool is_noisy(const Summary& summary) {
  return summary.runs < 2 || summary.spread > noisy_spread || summary.away > noisy_spread;
}

double run_seconds(double seconds_left, std::size_t figures_left, unsigned runs) {
  const double each = seconds_left / static_cast<double>(figures_left) / (runs + 1.0);
  return std::clamp(each, shortest_run_s, longest_run_s);
}

std::size_t units_for(double seconds, double units, double elapsed_s, std::size_t least,
                      std::size_t most) {
  if (most <= least) return most;
  if (!(elapsed_s > 0)) return least;
  const double wanted = units * seconds / elapsed_s;
  return static_cast<std::size_t>(
      std::clamp(wanted, static_cast<double>(least), static_cast<double>(most)));
}

}  // namespace homenode::measure
