// BT's steps in one direction: for each line a system with three diagonals of 5 x 5 matrices.
#pragma once

#include <cstddef>

#include "workloads/npb/cfd_field.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// What `scratch` has to hold for each place of a line, in doubles, with any instruction set.
inline constexpr std::size_t bt_scratch_doubles = std::size_t{37} * 4;

struct BtLinesKernel {
  /// Solves along x in plane k, rhs being the right-hand side and the unknowns.
  void (*along_x)(const CfdField& field, std::size_t k, double* scratch);
  void (*along_y)(const CfdField& field, std::size_t k, double* scratch);
  /// Solves along z in the rows j of all planes, and adds what comes out to u.
  void (*along_z)(const CfdField& field, std::size_t j, double* scratch);
};

HN_KERNELS(BtLinesKernel, bt_lines_kernel)

}  // namespace homenode::workloads::npb
