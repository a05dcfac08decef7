// Chance that is the same on every machine, for page maps: one seed must mean one map, whether the
// library places it or the agent inside a program. Freestanding; serves placement and the agent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode {

/// splitmix64 (Steele, Lea and Flood, 2014): own, because the standard library's distributions
/// differ from one implementation to the next.
class SplitMix {
 public:
  constexpr explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
  }

  /// Even over [0, bound): what would favour the small numbers is thrown away. pre: bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t too_many = (std::uint64_t{0} - bound) % bound;
    std::uint64_t value = next();
    while (value < too_many) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

/// Fisher and Yates: every order is as likely as any other.
template <class Item>
constexpr void shuffle(Item* items, std::size_t count, SplitMix& chance) {
  for (std::size_t left = count; left > 1; --left) {
    const auto other = static_cast<std::size_t>(chance.below(left));
    const Item kept = items[left - 1];
    items[left - 1] = items[other];
    items[other] = kept;
  }
}

}  // namespace homenode
