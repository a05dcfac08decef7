// The allocator's operations: plain, aligned, zeroed and resized blocks, and what is asked about a
// block. Null means that there is no memory; errno is set by allocate() alone. Foreign blocks are
// of libc's own malloc, from before the library was there or from a part of the program that does
// not see it: they go to libc's functions.
#pragma once

#include <cstddef>

#include "heap/thread.h"

namespace homenode::heap {

/// More than this is refused, as libc refuses it: differences of pointers would overflow.
inline constexpr std::size_t most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);

/// The slow ways of allocate() and release(): no block is at hand, and it is no block of a chunk.
void* allocate_slow(Thread* thread, std::size_t bytes);
void release_elsewhere(void* memory);

/// A block of at least `bytes`, at a multiple of 16; null, and errno, when there is no memory.
inline void* allocate(std::size_t bytes) {
  Thread* const thread = self;
  void* const memory = take_at_hand(thread, bytes);
  return memory != nullptr ? memory : allocate_slow(thread, bytes);
}

/// Gives a block back, or hands a foreign one to libc. Null is allowed.
inline void release(void* memory) {
  if (ground_of(memory) != Ground::chunk) [[unlikely]] {
    release_elsewhere(memory);
    return;
  }
  Thread* const thread = self;
  Page& slice = slice_at(memory);
  if (slice.leased_by() != thread) [[unlikely]] {  // Another's, or not the first of its page.
    release_slow(thread, slice, memory);
    return;
  }
  if (push(slice, memory)) [[unlikely]] {
    retire(*thread, slice);
  }
}

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

/// Large blocks: more than medium_bytes, or aligned to more than a slice. `zeroed` as for slices.
void* allocate_large(CoreHeap& heap, std::size_t bytes, std::size_t alignment, bool& zeroed);

void release_foreign(void* memory);
void* resize_foreign(void* memory, std::size_t bytes);
std::size_t usable_foreign(void* memory);

}  // namespace homenode::heap
