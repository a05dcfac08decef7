// CG's inner part: conjugate gradient steps, and the power method around them.
#pragma once

#include <cstddef>

#include "workloads/npb/cg_matrix.h"
#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// A line for each thread's share of a sum.
struct alignas(64) CgShare {
  double value[2];
};

struct CgJob {
  CgMatrix matrix;
  double* x = nullptr;  ///< These five: n each.
  double* z = nullptr;
  double* p = nullptr;
  double* q = nullptr;
  double* r = nullptr;
  CgShare* shares = nullptr;  ///< 3 * threads.
  int iterations = 0;
  unsigned threads = 1;
};

struct CgKernel {
  /// From x = 1 so many iterations: z solves A z = x by 25 steps, then x is z brought to length 1.
  /// Gives the last shift + 1 / (x z), which nears the eigenvalue that is sought.
  double (*iterate)(const CgJob& job);
};

HN_KERNELS(CgKernel, cg_kernel)

}  // namespace homenode::workloads::npb
