// The policy and the CPUs that hold for the calling process now. Serves `run --show`.
#pragma once

#include <optional>

#include "base/id_set.h"
#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::actuation {

struct PolicyState {
  int mode = 0;  ///< MPOL_* with flags.
  NodeSet nodes;
  std::optional<NodeId> next_interleaved;
  CpuSet cpus;           ///< CPUs that the process may run on.
  NodeSet cpu_nodes;     ///< Nodes of these CPUs.
  NodeSet memory_nodes;  ///< Nodes that it may allocate on.
};

/// Asks the kernel. Errors: each refusal with what to do.
Result<PolicyState> read_policy_state(os::Os& os, const machine::Machine& machine);

}  // namespace homenode::actuation
