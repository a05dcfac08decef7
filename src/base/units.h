// Units as types, so that bytes and nanoseconds are never mixed up. Freestanding.
#pragma once

#include <compare>
#include <cstdint>

namespace homenode {

struct Bytes {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
};

struct Nanoseconds {
  double value = 0;
  friend constexpr auto operator<=>(Nanoseconds, Nanoseconds) = default;
};

inline constexpr Bytes operator""_KiB(unsigned long long n) {
  return {n << 10};
}
inline constexpr Bytes operator""_MiB(unsigned long long n) {
  return {n << 20};
}

}  // namespace homenode
