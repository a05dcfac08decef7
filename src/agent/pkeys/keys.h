// The protection keys that the sampler has of the kernel, and which one the next window takes.
// Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::agent::pkeys {

/// A window takes so many at most: a thread is seen once with each.
inline constexpr std::size_t max_window_keys = 4;

constexpr std::uint32_t bit_of_key(int key) {
  return std::uint32_t{1} << static_cast<unsigned>(key);
}

/// Takes all that there are; how many. The calling thread keeps its rights to them denied.
std::size_t take_keys();
/// Gives them back. pre: nothing has one of them.
void give_keys_back();
/// Whether it is one of them; for signal handlers too.
bool is_own_key(int key);
/// The one that was used longest ago, of those that no thread was allowed by its last faults: that
/// thread would not fault. Where there is none, the oldest of all. The next call gives another.
int next_key();

}  // namespace homenode::agent::pkeys
