// What rules the calling process now: numactl --show's lines, or JSON. Serves the verb `run`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::cli {

struct PolicyState {
  int mode = 0;  ///< MPOL_* with flags.
  NodeSet nodes;
  std::optional<NodeId> next_interleaved;
  CpuSet cpus;           ///< CPUs that the process may run on.
  NodeSet cpu_nodes;     ///< Nodes of these CPUs.
  NodeSet memory_nodes;  ///< Nodes that it may allocate on.
};

/// numactl's name of a policy, of MPOL_* with or without flags: "bind", "preferred-many".
std::string mode_words(int mode);

/// Asks the kernel. Errors: each refusal with what to do.
Result<PolicyState> read_policy_state(os::Os& os, const machine::Machine& machine);

/// numactl --show's format, line by line, but right where numactl 2.0.16 has known slips: there,
/// `preferred node:` has no value and no line end for local and for a balanced bind, and is 0 for
/// every preferred-many; a balanced bind's policy is a number in brackets and its membind all
/// nodes.
std::string show_text(const PolicyState& state);

/// Schema "homenode.run.show/1".
std::string show_json(const PolicyState& state);

}  // namespace homenode::cli
