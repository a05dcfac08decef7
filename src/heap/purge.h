// Free memory goes back to the system: what has been free for a while, and what is more than a
// share at once. No thread wakes up for it; it happens as the program allocates and frees. Serves
// the allocator.
#pragma once

#include "heap/arena.h"

namespace homenode::heap {

/// How long free memory is kept before the system gets it back.
extern constinit std::uint64_t purge_ms;

/// After slices became free: keeps what is kept bounded. pre: the arena's lock is held.
void keep_bounded(Arena& arena, Chunk& chunk, unsigned first, unsigned count);
/// Gives all free memory back. True when there was some.
bool purge(Arena& arena);
/// When it is time: collects what was freed into the nodes' arenas, and gives back what has been
/// free for a while, also where the threads of a node sleep or are gone. For slow ways of all
/// kinds. pre: the caller holds no lock but that of the use of a heap in hand.
void tick();

}  // namespace homenode::heap
