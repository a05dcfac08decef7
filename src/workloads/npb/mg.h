// MG, multigrid: Poisson's equation on a periodic cube. Regular neighbours on each level, and
// levels whose planes are fewer than threads.
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_mg(Class size);

}  // namespace homenode::workloads::npb
