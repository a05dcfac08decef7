// What the allocator has and has done: counted by walking its pages when somebody asks, so that the
// fast ways count nothing; and the same as JSON, at the end of a process, on a signal or when the
// program asks. Serves mallinfo2, malloc_info and heap.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/core_heap.h"

namespace homenode::heap {

/// Of one core's heap, of an arena, or of all.
struct Totals {
  std::size_t live_bytes;       ///< In blocks that are out, with their rounding. Others may be
                                ///< allocating at the same time: then it is about so.
  std::size_t committed_bytes;  ///< In pages in use, those that are kept, and huge blocks.
  std::size_t kept_bytes;       ///< Free, but not yet given back to the system. An arena's.
  std::size_t peak_bytes;       ///< The most that has been in pages in use and huge blocks. Of all:
                                ///< the sum of the arenas'.
  std::size_t mapped_bytes;     ///< Address space. An arena's.
  std::size_t huge_blocks;
  std::size_t huge_bytes;
  std::size_t free_pages;      ///< Listed in the cores' heaps.
  std::uint64_t remote_frees;  ///< Small and medium blocks that came back from threads that did not
                               ///< hold their page.
  std::uint64_t mappings;      ///< Pieces of address space that were asked for.
  std::uint64_t policy_calls;  ///< For those.
  std::uint64_t refused_policies;  ///< An arena's.
  std::uint64_t lent_blocks;       ///< To threads of other nodes. An arena's.
};

Totals count(Arena& arena);
/// What is an arena's alone is 0.
Totals count(const CoreHeap& heap);
/// All arenas of the process.
Totals count_all();

/// Memory that is on another node than its policy says: a full node spills to others, and where
/// policies are refused the first touch decides. Asked of the kernel when somebody wants to know.
struct Spilled {
  std::size_t bytes;
  bool unknown;  ///< The kernel does not tell.
};

/// Of what an arena has in use, slice by slice: the node of its first page stands for a slice.
/// Nothing when the arena is bound to no node.
Spilled count_spilled(Arena& arena);
/// Adds that of one range to the sum.
void add_spilled(const Arena& arena, const char* memory, std::size_t bytes, Spilled& sum);

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
