// How large the arrays are: far above every cache that could serve them, far below what would take
// memory from others. Pure.
#pragma once

#include <map>

#include "machine/machine.h"
#include "measure/plan.h"

namespace homenode::measure {

/// Arrays are whole multiples of this: a huge page.
inline constexpr Bytes array_unit = 2_MiB;
/// Times the last-level caches of a node.
inline constexpr std::uint64_t cache_factor = 4;
/// Where no cache is known.
inline constexpr Bytes assumed_caches = 64_MiB;

/// The last-level caches that the CPUs of a node use, all of them together; 0 when unknown.
Bytes last_level_caches(const machine::Machine& machine, const CpuSet& cpus);

/// What a node's memory is for: two arrays, one for the streams and one for the chains of loads.
struct WorkingSet {
  Bytes wanted;                     ///< Each array's size by the caches or by --size.
  std::map<NodeId, Bytes> of_node;  ///< What each target gets: wanted, or less where memory lacks.
};

/// `free` says how much memory each node has to give; a node that is absent has its whole memory.
/// A node gives at most half, both arrays together, and `available` (all nodes) likewise.
/// Adds a note to the plan for each node that gets less than wanted, and where the caches hold what
/// is wanted. Errors: bad_usage for a --size that memory does not hold; failed for a node without
/// any.
Result<WorkingSet> choose_working_set(const machine::Machine& machine, Plan& plan,
                                      const std::map<NodeId, Bytes>& free, Bytes available);

}  // namespace homenode::measure
