// What BT, SP and LU compute for every instruction set apart (program/isa.h): the right-hand side
// of the equations, which they have in common, and the steps along lines of BT and SP.
#pragma once

#include <cstddef>

#include "workloads/npb/cfd_field.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// Fluxes, viscosity, artificial diffusion and fourth-order dissipation along three axes.
struct CfdRhsKernel {
  /// What follows from u at each point of plane k: rho_i, qs and those others that are not null.
  void (*derive)(const CfdField& field, std::size_t k);
  /// rhs = scale * (forcing + what u changes by), inside plane k, which is inside the cube.
  /// pre: derived in the planes k - 1 to k + 1.
  void (*rhs)(const CfdField& field, std::size_t k, double scale);
};

/// A step in each direction, rhs being the right-hand side and the unknowns: for each line a system
/// with three diagonals of 5 x 5 matrices (BT), or five scalar systems with five diagonals in the
/// variables in which the Jacobian is diagonal (SP).
struct LinesKernel {
  /// Turns rhs in plane k to the variables of the first direction; null where they are rhs's own.
  void (*enter)(const CfdField& field, std::size_t k);
  /// Solves along x in plane k, and turns to the variables of the next direction.
  void (*along_x)(const CfdField& field, std::size_t k, double* scratch);
  void (*along_y)(const CfdField& field, std::size_t k, double* scratch);
  /// Solves along z in the rows j of all planes, and adds what comes out to u.
  void (*along_z)(const CfdField& field, std::size_t j, double* scratch);
};

/// What `scratch` has to hold for each place of a line, in doubles, with any instruction set.
inline constexpr std::size_t bt_scratch_doubles = std::size_t{37} * 4;
inline constexpr std::size_t sp_scratch_doubles = std::size_t{14} * 4;

HN_KERNELS(CfdRhsKernel, cfd_rhs_kernel)
HN_KERNELS(LinesKernel, bt_lines_kernel)
HN_KERNELS(LinesKernel, sp_lines_kernel)

}  // namespace homenode::workloads::npb
