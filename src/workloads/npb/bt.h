// BT: flow through a cube by approximate factorisation into systems with three diagonals of 5 x 5
// matrices, along x, y and z in turn (NAS-91-002, section 3).
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_bt(Class size);

}  // namespace homenode::workloads::npb
