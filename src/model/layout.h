// Where a placement puts every thread and block of a program, worked out as the kernel would do it,
// given room on every node. Pure; what the models judge.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "model/rates.h"
#include "placement/placement.h"

namespace homenode::model {

/// The share of a block that lies on each node, in the order of Rates::memory_nodes; they add up
/// to 1.
using NodeShares = std::vector<double>;

struct Layout {
  std::vector<NodeId> node_of_thread;
  std::vector<std::vector<NodeShares>> homes;  ///< [object][block].
};

/// A thread that may run on several nodes stays where it was seen, if it may. Memory without any
/// rule goes where its first user is, else stays where it was found. Errors: bad_usage for nodes
/// without CPUs or memory, a map of too few pages, memory of which neither first users nor homes
/// are known; not_supported for the kernel's weighted interleaving, whose weights are the system's.
/// pre: is_valid(program), is_valid(placement).
[[nodiscard]] Result<Layout> lay_out(const machine::Machine& machine, const Rates& rates,
                                     const Program& program, const placement::Placement& placement);

}  // namespace homenode::model
