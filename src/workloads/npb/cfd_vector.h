// Vectors for the kernels of BT, SP and LU: as wide as the instruction set has them, one lane for
// each of several lines or points that go through the same arithmetic. A lane's result does not
// depend on its neighbours, nor on how many there are.
#pragma once

#include <cstddef>

namespace homenode::workloads::npb::HN_ISA {
namespace {

#if defined(__AVX2__)
constexpr std::size_t cfd_lanes = 4;
#else
constexpr std::size_t cfd_lanes = 2;
#endif

using Vec [[gnu::vector_size(cfd_lanes * sizeof(double))]] = double;
/// The same at any address of a double.
using LooseVec [[gnu::vector_size(cfd_lanes * sizeof(double)), gnu::aligned(8), gnu::may_alias]] =
    double;

[[gnu::always_inline]] inline Vec load(const double* from) {
  return *reinterpret_cast<const LooseVec*>(from);
}

[[gnu::always_inline]] inline void store(double* to, Vec value) {
  *reinterpret_cast<LooseVec*>(to) = value;
}

[[gnu::always_inline]] inline Vec all_lanes(double value) {
  return value - Vec{};
}

/// Rows to columns, in place.
[[gnu::always_inline]] inline void transpose(Vec* tile) {
#if defined(__AVX2__)
  const Vec even01 = __builtin_shufflevector(tile[0], tile[1], 0, 4, 2, 6);
  const Vec odd01 = __builtin_shufflevector(tile[0], tile[1], 1, 5, 3, 7);
  const Vec even23 = __builtin_shufflevector(tile[2], tile[3], 0, 4, 2, 6);
  const Vec odd23 = __builtin_shufflevector(tile[2], tile[3], 1, 5, 3, 7);
  tile[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  tile[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  tile[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  tile[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
#else
  const Vec even = __builtin_shufflevector(tile[0], tile[1], 0, 2);
  tile[1] = __builtin_shufflevector(tile[0], tile[1], 1, 3);
  tile[0] = even;
#endif
}

/// Several rows along x that are solved at once: lane l is row first + l, or the last interior one
/// where that would be beyond: it is then computed more than once, always the same.
struct RowGroup {
  std::size_t offset[cfd_lanes];
};

[[gnu::always_inline]] inline RowGroup rows_from(std::size_t first, std::size_t n,
                                                 std::size_t pitch) {
  RowGroup rows;
  for (std::size_t lane = 0; lane < cfd_lanes; ++lane) {
    const std::size_t j = first + lane < n - 2 ? first + lane : n - 2;
    rows.offset[lane] = j * pitch;
  }
  return rows;
}

/// From rows of a plane to lines: the place p of all rows is the vector at lines + p * cfd_lanes.
[[gnu::always_inline]] inline void rows_to_lines(const double* plane, const RowGroup& rows,
                                                 std::size_t pitch, double* lines) {
  for (std::size_t i = 0; i < pitch; i += cfd_lanes) {
    Vec tile[cfd_lanes];
    for (std::size_t l = 0; l < cfd_lanes; ++l) tile[l] = load(plane + rows.offset[l] + i);
    transpose(tile);
    for (std::size_t l = 0; l < cfd_lanes; ++l) store(lines + (i + l) * cfd_lanes, tile[l]);
  }
}

/// And back.
[[gnu::always_inline]] inline void lines_to_rows(const double* lines, const RowGroup& rows,
                                                 std::size_t pitch, double* plane) {
  for (std::size_t i = 0; i < pitch; i += cfd_lanes) {
    Vec tile[cfd_lanes];
    for (std::size_t l = 0; l < cfd_lanes; ++l) tile[l] = load(lines + (i + l) * cfd_lanes);
    transpose(tile);
    for (std::size_t l = 0; l < cfd_lanes; ++l) store(plane + rows.offset[l] + i, tile[l]);
  }
}

}  // namespace
}  // namespace homenode::workloads::npb::HN_ISA
