// MAP-numa 1D: the order in which a span is walked. Both orders live in registers alone: nothing
// but the elements is loaded or stored, so the counts are the pattern's own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "workloads/map/pattern.h"

namespace homenode::workloads::map {

/// Sequential follows the span; random visits each element exactly once in a scattered order.
enum class Order { sequential, random };

/// A scattered order of 0 … count-1, each exactly once in `count` calls: a linear congruential
/// generator of full period 2^k >= count (Hull and Dobell: odd increment, multiplier 1 modulo 4),
/// whose high bits are folded onto its regular low ones, and which skips what is not below count:
/// at most every second step on average.
class Cycle {
 public:
  /// pre: count > 0.
  constexpr Cycle(std::size_t count, std::uint64_t seed)
      : count_(count),
        mask_(std::bit_ceil(std::uint64_t{count}) - 1),
        shift_((static_cast<unsigned>(std::bit_width(mask_)) + 1) / 2),
        increment_(scramble(seed) | 1),
        state_(scramble(seed + 1) & mask_) {}

  constexpr std::size_t next() {
    std::uint64_t index = 0;
    do {
      state_ = (state_ * multiplier + increment_) & mask_;
      index = state_ ^ (state_ >> shift_);
    } while (index >= count_);
    return index;
  }

 private:
  static constexpr std::uint64_t multiplier = 0x5851F42D4C957F2D;  // Knuth's MMIX; 1 modulo 4.

  /// Spreads neighbouring seeds (ranks) over all bits; the finaliser of SplitMix64.
  static constexpr std::uint64_t scramble(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }

  std::uint64_t count_;
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t increment_;
  std::uint64_t state_;
};

/// Calls visit(index) for every element of the span in increasing order. The span is taken by
/// value, so that the loop keeps it in registers whatever visit stores.
template <class Visit>
void walk_sequential(Span span, Visit visit) {
  std::size_t index = span.first;
  for (std::size_t i = 0; i < span.count; ++i, index += span.stride) visit(index);
}

/// Calls visit(index) for every element of the span, scattered as the seed says.
template <class Visit>
void walk_random(Span span, std::uint64_t seed, Visit visit) {
  if (span.count == 0) return;
  Cycle cycle(span.count, seed);
  for (std::size_t i = 0; i < span.count; ++i) visit(span.first + cycle.next() * span.stride);
}

}  // namespace homenode::workloads::map
