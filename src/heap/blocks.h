// The allocator's operations beside the fast ones of thread.h: aligned, zeroed and resized blocks,
// and what is asked about a block. Null means that there is no memory; errno is set by allocate()
// alone.
#pragma once

#include <cstddef>

#include "heap/thread.h"

namespace homenode::heap {

/// More than this is refused, as libc refuses it: differences of pointers would overflow.
inline constexpr std::size_t most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);

/// pre: alignment is a power of two.
void* allocate_aligned(std::size_t bytes, std::size_t alignment);
void* allocate_zeroed(std::size_t bytes);
/// A block of another size with the same content. Null: the old one is as it was. A foreign block
/// is the caller's to handle: pre: is_ours(memory).
void* resize(void* memory, std::size_t bytes);
/// Only where it is, or with its pages moved; null when that cannot be, as for most small blocks.
void* resize_in_place(void* memory, std::size_t bytes);
/// The bytes that a block has; 0 for what is not ours.
std::size_t usable_bytes(const void* memory);
bool is_ours(const void* memory);
/// The arena that a block's memory is of; null for what is not ours.
Arena* arena_of_block(const void* memory);

/// The same for a heap that a program made. pre: the caller holds `thread`.
void* allocate_in(Thread& thread, std::size_t bytes, std::size_t alignment, bool& zeroed);

}  // namespace homenode::heap
