// SP's steps in one direction: five scalar systems with five diagonals for each line, in the
// variables in which the Jacobian is diagonal.
#pragma once

#include <cstddef>

#include "workloads/npb/cfd_field.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// What `scratch` has to hold for each place of a line, in doubles, with any instruction set.
inline constexpr std::size_t sp_scratch_doubles = std::size_t{14} * 4;

struct SpLinesKernel {
  /// Turns rhs in plane k to the variables of the first direction.
  void (*enter)(const CfdField& field, std::size_t k);
  /// Solves along x in plane k, and turns to the variables of the next direction.
  void (*along_x)(const CfdField& field, std::size_t k, double* scratch);
  void (*along_y)(const CfdField& field, std::size_t k, double* scratch);
  /// Solves along z in the rows j of all planes, and adds what comes out to u.
  void (*along_z)(const CfdField& field, std::size_t j, double* scratch);
};

HN_KERNELS(SpLinesKernel, sp_lines_kernel)

}  // namespace homenode::workloads::npb
