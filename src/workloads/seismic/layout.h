// Where everything is in the arrays of a simulation: which are needed, how large they are, and the
// part of each thread. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/program/program.h"
#include "workloads/seismic/scene.h"

namespace homenode::workloads::seismic {

/// In the order of the arrays: the nine fields as in Component, then these.
enum class Extra : unsigned char { psi_x, psi_y, psi_z, material };
inline constexpr std::size_t array_count = component_count + 4;

struct Layout {
  std::size_t element_bytes = 8;
  std::size_t row = 0;     ///< Elements from row to row; between two rows lie at least two zeros.
  std::size_t plane = 0;   ///< Likewise from plane to plane, with two rows of zeros.
  std::size_t planes = 0;  ///< Two of zeros below and two above included.
  std::size_t skew = 0;    ///< Elements by which a field starts later than the last.
  std::size_t psi_plane[3] = {};   ///< Elements of psi for one plane along z,
  std::size_t psi_planes[3] = {};  ///< and for how many planes there is one.
};
inline constexpr std::size_t planes_of_zeros = 2;

Layout layout_of(const Scene& scene);
std::vector<ArrayNeed> arrays_of(const Scene& scene);

/// Planes from first to last - 1 of the padded grid: the rank-th of equal parts.
struct Slab {
  std::size_t first = 0;
  std::size_t last = 0;
};
Slab slab_of(const Layout& layout, unsigned rank, unsigned threads);

/// Rows that are worked on together: few enough that what the planes of a stencil share stays in
/// the second-level cache.
std::size_t rows_together(const Layout& layout, std::size_t cache_bytes);

}  // namespace homenode::workloads::seismic
