// What the lab can model: one table, which the driver reads too (homenode/lab/limits.py), so that
// what one takes the other does.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace homenode::lab {

/// The least and the most that a number may be, and what it counts.
struct Limit {
  std::string_view name;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view what;

  [[nodiscard]] constexpr bool holds(std::uint64_t value) const {
    return least <= value && value <= most;
  }
  /// What is said of a value that does not keep to it, in the driver's words.
  [[nodiscard]] std::string complaint() const {
    return "not a whole number of " + std::string(what) + " from " + std::to_string(least) +
           " to " + std::to_string(most);
  }
};

inline constexpr Limit limits[] = {
#include "limits.inc"
};

/// The limit of a name. A name that the table lacks does not compile.
consteval const Limit& limit(std::string_view name) {
  for (const Limit& row : limits) {
    if (row.name == name) return row;
  }
  throw std::out_of_range("no such limit");
}

}  // namespace homenode::lab
