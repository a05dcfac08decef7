// Memory that is on another node than its policy says: a full node spills to others, and where
// policies are refused the first touch decides. Asked of the kernel when somebody wants to know.
// Serves the statistics.
#pragma once

#include <cstddef>

#include "heap/arena.h"

namespace homenode::heap {

struct Spilled {
  std::size_t bytes;
  bool unknown;  ///< The kernel does not tell.
};

/// Of what an arena has in use, slice by slice: the node of its first page stands for a slice.
/// Nothing when the arena is bound to no node.
Spilled count_spilled(Arena& arena);
/// Adds that of one range to the sum.
void add_spilled(const Arena& arena, const char* memory, std::size_t bytes, Spilled& sum);

}  // namespace homenode::heap
