// Whether the figures of a machine file can be true, so that nothing is computed from a slip of the
// pen. Internal to the machine room.
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::machine {

inline constexpr double max_latency_ns = 100'000;
inline constexpr double max_bandwidth_mib_per_s = 10.0 * 1024 * 1024;

/// The first figure that cannot be, as a phrase with the pair of nodes and the value; empty when
/// there is none. Every figure must lie within the limits above. Where a file declares latencies,
/// the two directions of a pair must be within a factor of two, and no other node's memory may be
/// nearer than a node's own; measurements may say what they like.
std::string find_figure_problem(const Machine& machine);

/// Forgets values of pairs that cannot be, and matrices without any other: what firmware says
/// without meaning it.
void forget_absurd_values(Machine& machine);

}  // namespace homenode::machine
