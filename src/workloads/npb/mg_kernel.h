// MG's inner part: V-cycles over grids that halve, each a periodic cube with a layer around it.
#pragma once

#include <cstddef>

#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// One level: cubes of (n + 2)^3 numbers, x fastest, the outer layer copies of the other side.
struct MgLevel {
  std::size_t n = 0;
  double* u = nullptr;  ///< The solution, or a correction to the next finer level's.
  double* r = nullptr;  ///< What is left to solve.
};

constexpr std::size_t mg_cube(std::size_t n) {
  return (n + 2) * (n + 2) * (n + 2);
}

/// A line for each thread's share of a sum.
struct alignas(64) MgShare {
  double value;
};

struct MgJob {
  const MgLevel* levels = nullptr;  ///< From n = 2 upwards.
  std::size_t level_count = 0;
  double* v = nullptr;             ///< The right-hand side, of the finest level.
  const double* smooth = nullptr;  ///< Three weights: of the cell, its faces, its edges.
  int cycles = 0;
  MgShare* shares = nullptr;  ///< One for each thread.
  unsigned threads = 1;
};

struct MgKernel {
  /// Fills a cube of the size n with zeros, thread i the i-th part.
  void (*clear)(double* cube, std::size_t n, unsigned threads);
  /// Residual, then so many times V-cycle and residual. Gives the root mean square of the last.
  double (*solve)(const MgJob& job);
};

HN_KERNELS(MgKernel, mg_kernel)

}  // namespace homenode::workloads::npb
