// Several time steps over a part of the grid while it is in a cache: which rows of which planes
// come when. Pure.
//
// The grid is cut along y into tiles. A tile is walked from the lowest plane to the highest; at
// each position its half steps follow one another, each `reach` planes and rows behind the one
// before (time skewing, Wolf and Lam, PLDI 1991), so that what it needs of that one is done, and
// what that one still needs is not yet written over. Rows that it needs beyond its first belong to
// the tile before, which has to be done with the same position; nothing is ever needed of the tile
// after.
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic {

/// How many steps are run together, and on how many rows of each plane.
struct TimeBlock {
  std::size_t steps = 1;  ///< 1: one step after the other, on all of the grid.
  std::size_t rows = 16;
};

/// Planes and rows on either side that a difference of fourth order reads.
inline constexpr std::ptrdiff_t reach = 2;

struct Tiles {
  std::ptrdiff_t rows = 0;    ///< Of each tile in each half step.
  std::ptrdiff_t halves = 0;  ///< Half steps that are run together: velocities, stresses, …
  std::ptrdiff_t ny = 0;
  std::ptrdiff_t nz = 0;

  [[nodiscard]] std::ptrdiff_t lag() const { return reach * (halves - 1); }
  [[nodiscard]] std::ptrdiff_t count() const { return (ny + lag() + rows - 1) / rows; }
  [[nodiscard]] std::ptrdiff_t positions() const { return nz + lag(); }

  /// What a half step of a tile does at a position; nothing where first is not before last.
  [[nodiscard]] Rows at(std::ptrdiff_t tile, std::ptrdiff_t position, std::ptrdiff_t half) const;
};

inline Rows Tiles::at(std::ptrdiff_t tile, std::ptrdiff_t position, std::ptrdiff_t half) const {
  const std::ptrdiff_t behind = reach * half;
  const std::ptrdiff_t plane = position - behind;
  if (plane < 0 || plane >= nz) return {};
  const std::ptrdiff_t first = tile * rows - behind;
  return {plane, std::clamp<std::ptrdiff_t>(first, 0, ny),
          std::clamp<std::ptrdiff_t>(first + rows, 0, ny)};
}

}  // namespace homenode::workloads::seismic
