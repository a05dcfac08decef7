// Free memory goes back to the system: what has been free for a while, and what is more than a
// share at once. No thread wakes up for it; it happens as the program allocates and frees. Serves
// the allocator.
#pragma once

#include "heap/arena.h"

namespace homenode::heap {

/// How long free memory is kept before the system gets it back.
extern constinit std::uint64_t purge_ms;

/// Slices that came back, from a thread or to the arena, until there were enough of them to look
/// after. A small program never reads the clock, whose code alone is 64 KiB of libc's that become
/// present.
extern constinit Atomic<unsigned> came_back;
inline constexpr unsigned worth_a_look = 128;
inline void count_back(unsigned slices) {
  if (came_back.load_relaxed() >= worth_a_look) return;
  came_back.add_relaxed(slices);
}

/// After slices became free: keeps what is kept bounded.
void keep_bounded(Arena& arena, Chunk& chunk, unsigned first, unsigned count)
    HN_REQUIRES(arena.lock);
/// How much free memory an arena keeps at least before it gives any back at once, for mallopt(): a
/// number below the usual 32 MiB is as good as that, and one below 0 keeps all of it for ever.
void keep_free(int bytes);
/// Gives all free memory back. True when there was some.
bool purge(Arena& arena) HN_EXCLUDES(arena.lock);
/// When it is time: collects what was freed into the nodes' arenas, and gives back what has been
/// free for a while, also where the threads of a node sleep or are gone. For slow ways of all
/// kinds. pre: the caller holds no lock but that of the use of a private heap.
void tick();

}  // namespace homenode::heap
