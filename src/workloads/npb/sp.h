// SP: flow through a cube by approximate factorisation into scalar systems with five diagonals,
// along x, y and z in turn (NAS-91-002, section 3).
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_sp(Class size);

}  // namespace homenode::workloads::npb
