// IS, integer sort: keys ranked by buckets, ten times. Writes that no cut of the memory foresees.
#pragma once

#include <memory>

#include "workloads/npb/class.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

std::unique_ptr<Program> make_is(Class size);

}  // namespace homenode::workloads::npb
