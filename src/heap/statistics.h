// What the allocator has and has done: counted by walking its pages when somebody asks, so that the
// fast ways count nothing. Serves mallinfo2, malloc_info, the statistics at exit and heap.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/arena.h"

namespace homenode::heap {

struct Totals {
  std::size_t live_bytes;       ///< In blocks that are out, with their rounding. Others may be
                                ///< allocating at the same time: then it is about so.
  std::size_t committed_bytes;  ///< In pages in use, those that are kept, and huge blocks.
  std::size_t kept_bytes;       ///< Free, but not yet given back to the system.
  std::size_t peak_bytes;       ///< The most that has been committed in pages, and huge blocks now.
  std::size_t mapped_bytes;     ///< Address space.
  std::size_t huge_blocks;
  std::size_t huge_bytes;
  std::size_t free_pages;  ///< Listed in the cores' heaps.
  std::uint64_t refused_policies;
};

Totals count(Arena& arena);
/// All arenas of the process.
Totals count_all();

/// Has the statistics written with the next slow allocation of any thread: in a signal handler,
/// which may have interrupted the holder of a lock, they cannot be.
void ask_for_statistics();
/// For the slow way of allocate(), outside all locks.
void write_if_asked();
/// Where what is said at the end or on a signal goes: the file that was named, or -1 when the
/// program has meanwhile closed it and the number may be another file's.
void set_output(int file);
int output();

/// One JSON object (schema homenode.malloc/1) and a line's end.
void write_statistics(int file);

}  // namespace homenode::heap
