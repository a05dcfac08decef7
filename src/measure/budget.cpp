#include "measure/budget.h"

#include <algorithm>

namespace homenode::measure {

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
