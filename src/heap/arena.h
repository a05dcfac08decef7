// An arena: the memory of one node (or of one heap that a program made), in chunks whose policy is
// set once, before their first touch. Memory never changes its arena, so a block that is free on a
// node is only given out on that node, unless another has no memory left. Serves the allocator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/chunk_list.h"
#include "heap/lock.h"
#include "heap/policy.h"

namespace homenode::heap {

struct CoreHeap;

/// Bytes in use, and the most that they have been.
struct Usage {
  std::size_t bytes;
  std::size_t peak_bytes;

  void add(std::size_t more) {
    bytes += more;
    if (bytes > peak_bytes) peak_bytes = bytes;
  }
  void subtract(std::size_t less) { bytes -= less; }
};

struct Arena {
  Lock lock;
  unsigned node;  ///< Whose threads use it; max_nodes where it serves all.
  Policy policy;
  system::NodeMask nodes;  ///< Of the policy.
  ChunkList chunks HN_GUARDED_BY(lock);
  std::uint64_t searched_chunks HN_GUARDED_BY(lock);  ///< By those who looked for a run of slices.
  char* reserved HN_GUARDED_BY(lock);                 ///< Mapped and bound, but not yet chunks.
  std::size_t reserved_bytes HN_GUARDED_BY(lock);
  std::size_t next_extent_bytes HN_GUARDED_BY(lock);
  std::uint64_t last_tick_ms HN_GUARDED_BY(lock);
  Atomic<bool> reclaim_due;  ///< A tick has passed: listed pages may have become empty.
  Atomic<std::size_t> used_slices;
  std::size_t peak_used_slices HN_GUARDED_BY(lock);
  std::size_t dirty_free_slices
      HN_GUARDED_BY(lock);  ///< Free, but still with memory of the system.
  std::size_t mapped_bytes HN_GUARDED_BY(lock);
  Usage usage HN_GUARDED_BY(lock);  ///< In pages and huge blocks.
  Atomic<std::uint64_t> refused_policies;
  Atomic<std::uint64_t> lent_blocks;  ///< To threads of other nodes, whose own had none.
  Arena* next;                        ///< Of the heaps that a program made.
  Lock use_lock;            ///< Of those: who allocates holds it. Before any other of the arena.
  CoreHeap* only_heap;      ///< Of a heap that a program made; null where CPUs have heaps.
  Atomic<CoreHeap*> heaps;  ///< Those whose CPUs are of this node.
  Atomic<unsigned> listed[class_count];  ///< Pages in their queues.
};

/// Takes `count` slices in a row at a multiple of `alignment` of them, as one page of that kind,
/// for a heap. `zeroed` tells whether the memory has never been used. Null when there is no memory.
Page* take_slices(CoreHeap& heap, Kind kind, unsigned count, unsigned alignment, bool& zeroed);
/// A slice that has no memory of the system yet, for a small page that may never be filled: in a
/// used one all of its memory would be kept from others. Null: none, or much used memory is free.
Page* take_clean_slice(CoreHeap& heap);
/// Makes a page that nobody uses another heap's, of the same arena.
void hand_over(Page& page, CoreHeap& heap);
/// Gives a page's slices back.
void free_slices(Page& page);
/// Makes a large page longer where it is. False when the slices behind it are in use.
bool extend_slices(Page& page, unsigned count);
/// Cuts a large page's end off.
void shrink_slices(Page& page, unsigned count);
/// Adds to what a heap has in use, or subtracts from it, what is no page.
void add_usage(CoreHeap& heap, std::size_t bytes);
void subtract_usage(CoreHeap& heap, std::size_t bytes);
/// Gives back everything, with the memory in use. pre: no block of it is used any more.
void unmap_all(Arena& arena);

/// A look from outside, without the lock.
inline std::size_t slices_in_use(const Arena& arena) {
  return arena.used_slices.load_relaxed();
}

/// Slices of a page of any kind.
unsigned slice_count(const Page& page);

}  // namespace homenode::heap
