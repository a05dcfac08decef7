// Molecular2D's inner part: the forces between all pairs of two sets of particles, or of one.
#pragma once

#include <cstddef>

#include "workloads/program/isa.h"

namespace homenode::workloads::message {

/// Between particles at a distance r < 1: repulsion / r^13 - attraction / r^7 away from each other;
/// as published, repulsion / r^12 - attraction / r^6.
struct ForceLaw {
  double repulsion = 0.0;
  double attraction = 0.0;
  double offset = 0.0;  ///< Of the potential, at r = 1.
  bool published = false;
};

/// One set. Forces are written, not added to. No two arrays overlap.
struct ForceSide {
  const double* x = nullptr;
  const double* y = nullptr;
  double* fx = nullptr;
  double* fy = nullptr;
  std::size_t count = 0;
};

struct ForceKernel {
  /// Their potential energy, but as published, which has none. The same bits for the same sets.
  double (*between)(const ForceSide& a, const ForceSide& b, const ForceLaw& law);
  /// Every pair once.
  double (*within)(const ForceSide& a, const ForceLaw& law);
};

HN_KERNELS(ForceKernel, force_kernel)

}  // namespace homenode::workloads::message
