// The random numbers of NPB: x' = 5^13 x mod 2^46, uniform in (0, 1) as x 2^-46. A wrapping 64-bit
// product keeps the low 46 bits exact. Any place of the sequence is reached by a power of the
// multiplier, so threads start where they like.
#pragma once

#include <cstdint>

namespace homenode::workloads::npb {

inline constexpr std::uint64_t random_multiplier = 1220703125;  // 5^13
inline constexpr std::uint64_t random_mask = (std::uint64_t{1} << 46U) - 1;
inline constexpr double random_unit = 0x1p-46;
/// Of all benchmarks but EP.
inline constexpr std::uint64_t random_seed = 314159265;

/// multiplier^steps mod 2^46: what leads `steps` numbers on.
constexpr std::uint64_t random_power(std::uint64_t steps,
                                     std::uint64_t multiplier = random_multiplier) {
  std::uint64_t power = 1;
  for (; steps != 0; steps /= 2) {
    if (steps % 2 != 0) power = (power * multiplier) & random_mask;
    multiplier = (multiplier * multiplier) & random_mask;
  }
  return power;
}

/// The state after `steps` numbers.
constexpr std::uint64_t random_after(std::uint64_t seed, std::uint64_t steps) {
  return (seed * random_power(steps)) & random_mask;
}

/// Goes one number on, in (0, 1).
constexpr double random_next(std::uint64_t& state) {
  state = (state * random_multiplier) & random_mask;
  return static_cast<double>(state) * random_unit;
}

}  // namespace homenode::workloads::npb
