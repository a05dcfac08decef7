// MAP-numa: the order in which a span is walked. Both orders live in registers alone: nothing
// but the elements is loaded or stored, so the counts are the pattern's own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "workloads/map/pattern.h"

namespace homenode::workloads::map {

/// Sequential follows the span's loops; random visits each element exactly once in a scattered
/// order.
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

/// Calls visit(index) for every element of the span in walking order. The span is taken by
/// value, so that the loops keep it in registers whatever visit stores.
template <class Visit>
void walk_sequential(Span span, Visit visit) {
  for (std::size_t k = 0; k < span.outer.count; ++k) {
    for (std::size_t j = 0; j < span.middle.count; ++j) {
      std::size_t index = span.first + k * span.outer.stride + j * span.middle.stride;
      for (std::size_t i = 0; i < span.count; ++i, index += span.stride) visit(index);
    }
  }
}

/// The n-th element of the span in walking order.
inline std::size_t element_at(const Span& span, std::size_t n) {
  if (span.middle.count * span.outer.count == 1) return span.first + n * span.stride;
  const std::size_t line = n / span.count;
  return span.first + n % span.count * span.stride + line % span.middle.count * span.middle.stride +
         line / span.middle.count * span.outer.stride;
}

/// Calls visit(index) for every element of the span, scattered as the seed says.
template <class Visit>
void walk_random(Span span, std::uint64_t seed, Visit visit) {
  const std::size_t count = size_of(span);
  if (count == 0) return;
  Cycle cycle(count, seed);
  for (std::size_t i = 0; i < count; ++i) visit(element_at(span, cycle.next()));
}

}  // namespace homenode::workloads::map
