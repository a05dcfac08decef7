// Blocks of more than 32 MiB, those that realloc makes grow beyond one, and those that no chunk has
// room for: each is a mapping of its own, which can grow and move without being copied, and goes
// back to the system when it is freed. Serves the allocator.
#pragma once

#include <cstddef>

#include "heap/statistics.h"

namespace homenode::heap {

inline constexpr std::size_t huge_bytes = largest_run * slice_bytes;

/// For a heap. Null when there is no memory. The memory is zeroed.
void* allocate_huge(CoreHeap& heap, std::size_t bytes, std::size_t alignment);
/// False when no huge block starts there.
bool release_huge(void* memory);
/// The bytes that may be used; 0 when no huge block starts there.
std::size_t usable_huge(const void* memory);
/// Grows or shrinks, moving the pages and not their contents. Null: the block is as it was.
void* resize_huge(void* memory, std::size_t bytes);
/// The arena that it was allocated for; null when no huge block starts there.
Arena* arena_of_huge(const void* memory);
/// Frees all blocks of an arena.
void release_all_huge(const Arena& arena);
/// Moves what an arena has to its nodes.
void rebind_huge(const Arena& arena);

struct HugeTotals {
  std::size_t blocks;
  std::size_t bytes;
};
/// Of one arena.
HugeTotals count_huge(const Arena& arena);
/// Of one core's heap.
std::size_t huge_bytes_of(const CoreHeap& heap);
/// Adds what of them is not where the arena's policy says.
void add_spilled_huge(const Arena& arena, Spilled& sum);

extern constinit Lock huge_lock;

}  // namespace homenode::heap
