// What the strategies share: where a program's threads are, and whose memory is theirs. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/machine.h"
#include "placement/strategies/strategy.h"

namespace homenode::placement {

/// The allowed nodes with memory.
NodeSet usable_memory(const machine::Machine& machine);

/// The usable node that is nearest to `node`: itself if it has memory, else the one at the least
/// distance, the lowest of several. pre: usable_memory() is not empty.
NodeId nearest_memory(const machine::Machine& machine, NodeId node);

/// home[rank]: the memory that is nearest to the CPU of each thread under compact().
/// pre: check_program() passes.
std::vector<NodeId> thread_homes(const machine::Machine& machine, const Program& program);

/// The users of an array, all threads where it names none.
std::vector<std::size_t> users_of(const NamedArray& array, std::size_t threads);

}  // namespace homenode::placement
