// The right-hand side of the equations, which BT, SP and LU have in common: fluxes, viscosity,
// artificial diffusion and fourth-order dissipation along three axes.
#pragma once

#include <cstddef>

#include "workloads/npb/cfd_field.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

struct CfdRhsKernel {
  /// What follows from u at each point of plane k: rho_i, qs and those others that are not null.
  void (*derive)(const CfdField& field, std::size_t k);
  /// rhs = scale * (forcing + what u changes by), inside plane k, which is inside the cube.
  /// pre: derived in the planes k - 1 to k + 1.
  void (*rhs)(const CfdField& field, std::size_t k, double scale);
};

HN_KERNELS(CfdRhsKernel, cfd_rhs_kernel)

}  // namespace homenode::workloads::npb
