// Turns a loaded hwloc topology into a Machine. Internal to the machine room.
#pragma once

#include "base/result.h"
#include "machine/hwloc_source.h"
#include "machine/machine.h"

namespace homenode::machine {

/// `given` says where its matrices come from unless it says so itself. `allowed_*` are all CPUs and
/// nodes.
/// Errors: failed when the topology contradicts itself (`source` is named in the message).
Result<Machine> read_machine(hwloc_topology_t topology, Provenance given,
                             const std::string& source);

/// Narrows allowed_* to what the cpuset of this process and its CPU binding leave.
void apply_limits(hwloc_topology_t topology, Machine& machine);

}  // namespace homenode::machine
