// The classes of BT, SP and LU and the values that NPB 3.4 checks them by.
#pragma once

#include <cstddef>

#include "workloads/npb/class.h"

namespace homenode::workloads::npb {

struct CfdReference {
  std::size_t points = 0;  ///< In each direction.
  std::size_t steps = 0;
  double dt = 0.0;
  double residual[5] = {};  ///< Norms of the right-hand side after the last step,
  double error[5] = {};     ///< and of the difference from the exact solution.
  double surface = 0.0;     ///< LU's integral over part of the surface; 0 for the others.
};

const CfdReference& bt_reference(Class size);
const CfdReference& sp_reference(Class size);
const CfdReference& lu_reference(Class size);

}  // namespace homenode::workloads::npb
