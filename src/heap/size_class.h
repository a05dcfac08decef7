// The sizes that blocks come in. Serves the allocator. Steps of 16 bytes up to 128, then eight
// classes for each doubling up to 8 KiB and four up to 64 KiB: at most 12.5 and 25 % of a block are
// lost. A class is a multiple of every power of two that divides the size asked for, so that a size
// rounded up to its alignment needs nothing else to be aligned (pages start at whole slices).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace homenode::heap {

inline constexpr std::size_t granule_bytes = 16;       ///< Of alignment, and the least block.
inline constexpr std::size_t linear_bytes = 128;       ///< Up to here in granules.
inline constexpr std::size_t slice_bytes = 64 << 10;   ///< What pages consist of.
inline constexpr std::size_t small_bytes = 8 << 10;    ///< In pages of one slice.
inline constexpr std::size_t medium_bytes = 64 << 10;  ///< In pages of several slices.
inline constexpr unsigned linear_classes = linear_bytes / granule_bytes;
inline constexpr unsigned class_count = linear_classes + 6 * 8 + 3 * 4;

/// The class of a size by arithmetic. pre: 1 <= bytes <= medium_bytes.
constexpr unsigned compute_class(std::size_t bytes) {
  if (bytes <= linear_bytes) return static_cast<unsigned>((bytes - 1) / granule_bytes);
  const auto doubling = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // 2^d < bytes
  const unsigned shift = bytes <= small_bytes ? 3 : 2;
  const auto step = static_cast<unsigned>((bytes - 1) >> (doubling - shift)) & ((1U << shift) - 1);
  const unsigned first = bytes <= small_bytes ? linear_classes + (doubling - 7) * 8
                                              : linear_classes + 6 * 8 + (doubling - 13) * 4;
  return first + step;
}

/// The bytes of a class's blocks.
constexpr std::size_t compute_bytes(unsigned size_class) {
  if (size_class < linear_classes) return (size_class + 1) * granule_bytes;
  unsigned rest = size_class - linear_classes;
  if (rest < 6 * 8) return (std::size_t{9} + rest % 8) << (rest / 8 + 4);
  rest -= 6 * 8;
  return (std::size_t{5} + rest % 4) << (rest / 4 + 11);
}

/// Classes of medium blocks come after these.
inline constexpr unsigned small_class_count = linear_classes + 6 * 8;

/// The slices of a page of a class: the fewest that hold two blocks and lose at most an eighth.
/// More would keep more memory from other sizes until the last block is free.
constexpr unsigned slices_of_class(unsigned size_class) {
  const std::size_t bytes = compute_bytes(size_class);
  unsigned slices = bytes > slice_bytes / 2 ? 2 : 1;
  while (slices * slice_bytes % bytes > slices * slice_bytes / 8) slices *= 2;
  return slices;
}

namespace detail {
constexpr auto small_table() {
  std::array<std::uint8_t, small_bytes / granule_bytes + 1> table{};
  for (std::size_t i = 1; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(compute_class(i * granule_bytes));
  }
  return table;  // A size of 0 has the least class, as 1 has.
}
}  // namespace detail

inline constexpr auto small_classes = detail::small_table();

/// As compute_class(), by a table. pre: bytes <= small_bytes.
inline unsigned small_class(std::size_t bytes) {
  return small_classes[(bytes + granule_bytes - 1) / granule_bytes];
}

}  // namespace homenode::heap
