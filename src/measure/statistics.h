// What several runs of one figure say together, and how long each may take, so that all figures fit
// into the time that was promised. Pure; serves every figure of the room.
#pragma once

#include <cstddef>
#include <span>

namespace homenode::measure {

/// Of several values of one figure. All zero without a value.
struct Summary {
  double median = 0.0;
  /// The median distance from the median, as a part of it (relative median absolute deviation): one
  /// run that was disturbed does not move it.
  double spread = 0.0;
  double least = 0.0;
  double most = 0.0;
  std::size_t runs = 0;
  /// The share of the runs' time in which the CPUs did other work, the median of the runs.
  double away = 0.0;
  friend bool operator==(const Summary&, const Summary&) = default;
};

/// The spread above which a figure is called noisy, and the share of other work.
inline constexpr double noisy_spread = 0.05;

Summary summarise(std::span<const double> values);
/// With what is known of other work on the CPUs in each run. pre: as many as values.
Summary summarise(std::span<const double> values, std::span<const double> away);

/// Spread or other work is above noisy_spread, or one run alone says nothing about it.
[[nodiscard]] bool is_noisy(const Summary& summary);

/// Below, starting the threads would be a part of the time; above, nothing is gained.
inline constexpr double shortest_run_s = 0.0005;
inline constexpr double longest_run_s = 0.1;

/// The seconds of one run, from what is left of the budget. A figure takes one run more than are
/// counted, to warm up and to learn the speed. pre: figures_left > 0.
double run_seconds(double seconds_left, std::size_t figures_left, unsigned runs);

/// How many units (bytes, steps) make a run of `seconds`, after `units` took `elapsed_s`; at least
/// `least`, at most `most`.
std::size_t units_for(double seconds, double units, double elapsed_s, std::size_t least,
                      std::size_t most);

}  // namespace homenode::measure
