// EP, embarrassingly parallel: Gaussian deviates made and counted, with next to no memory. What
// threads and clocks can do when memory is no matter.
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_ep(Class size);

}  // namespace homenode::workloads::npb
