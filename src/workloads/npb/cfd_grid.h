// Sizes, constants and weights of the grid of BT, SP and LU, from the number of its points.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/npb/cfd_field.h"

namespace homenode::workloads::npb {

/// Of a cache line.
inline constexpr std::size_t cfd_line_doubles = 8;

/// n points in each direction.
CfdGrid cfd_grid(std::size_t n);

CfdConstants cfd_constants(std::size_t n, double dt);

/// CfdField::weights of a line of n points: five rows of `pitch`.
std::vector<double> fourth_differences(std::size_t n, std::size_t pitch);

}  // namespace homenode::workloads::npb
