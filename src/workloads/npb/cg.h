// CG, conjugate gradient: the smallest eigenvalue of a sparse random matrix. Every thread reads
// all of one vector, at places that nothing foresees.
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_cg(Class size);

}  // namespace homenode::workloads::npb
