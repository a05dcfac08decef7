// What several runs of one figure say together. Pure; serves every figure of the room.
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
  friend bool operator==(const Summary&, const Summary&) = default;
};

/// The spread above which a figure is called noisy.
inline constexpr double noisy_spread = 0.05;

Summary summarise(std::span<const double> values);

/// The spread is above noisy_spread, or one run alone says nothing about it.
[[nodiscard]] bool is_noisy(const Summary& summary);

}  // namespace homenode::measure
