// The problem classes of the NAS Parallel Benchmarks, from a second's work to a large machine's.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace homenode::workloads::npb {

enum class Class { S, W, A, B, C, D };

/// In increasing order.
inline constexpr std::array classes{Class::S, Class::W, Class::A, Class::B, Class::C, Class::D};

/// A table with a row for each class is indexed by this.
constexpr std::size_t index_of(Class size) {
  return static_cast<std::size_t>(size);
}

constexpr char letter_of(Class size) {
  return "SWABCD"[index_of(size)];
}

/// "S" or "s": class S.
constexpr std::optional<Class> class_of(std::string_view name) {
  for (const Class size : classes) {
    const char letter = letter_of(size);
    if (name.size() == 1 && (name[0] == letter || name[0] == letter - 'A' + 'a')) return size;
  }
  return std::nullopt;
}

}  // namespace homenode::workloads::npb
