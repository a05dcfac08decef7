// LU's sweeps through a plane: at each point a small system, given its neighbours on one side.
#pragma once

#include <cstddef>

#include "workloads/npb/cfd_field.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// What `scratch` has to hold for each place of a row, in doubles, with any instruction set.
inline constexpr std::size_t lu_scratch_doubles = std::size_t{25};

/// Over-relaxation.
inline constexpr double lu_omega = 1.2;

/// The rows 1 to n - 2 of a plane in blocks; block b has `rows` of them, from 1 + b * rows on.
struct LuSweepKernel {
  std::size_t rows;
  /// Goes through block b of plane k, from low to high places in all directions.
  /// pre: done with the same block of plane k - 1, and with block b - 1 of this plane.
  void (*lower)(const CfdField& field, std::size_t k, std::size_t b, double* scratch);
  /// From high to low ones.
  /// pre: done with the same block of plane k + 1, and with block b + 1 of this plane.
  void (*upper)(const CfdField& field, std::size_t k, std::size_t b, double* scratch);
  /// Takes u one step on, in plane k.
  void (*advance)(const CfdField& field, std::size_t k);
};

HN_KERNELS(LuSweepKernel, lu_sweep_kernel)

}  // namespace homenode::workloads::npb
