// LU: flow through a cube by symmetric successive over-relaxation: each step sweeps through the
// cube from one corner to the opposite one and back (NAS-91-002, section 3).
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_lu(Class size);

}  // namespace homenode::workloads::npb
