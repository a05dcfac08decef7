// Blocks of more than 16 MiB, and those aligned to more than a slice: each is a mapping of its own,
// which can grow and move without being copied, and goes back to the system when it is freed.
// Serves the allocator.
#pragma once

#include <cstddef>

#include "heap/arena.h"

namespace homenode::heap {

inline constexpr std::size_t huge_bytes = largest_run * slice_bytes;

/// Null when there is no memory. The memory is zeroed.
void* allocate_huge(Arena& arena, std::size_t bytes, std::size_t alignment);
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
/// Calls of a new policy for what an arena has. 0 or the last -errno.
int rebind_huge(const Arena& arena, bool move);

struct HugeTotals {
  std::size_t blocks;
  std::size_t bytes;
};
/// Of one arena.
HugeTotals count_huge(const Arena& arena);

extern constinit Lock huge_lock;

}  // namespace homenode::heap
