// What a thread has at hand: one page of each size that it takes blocks from, and others that it
// has leased. It owns no memory: when it moves to another node, or ends, its pages go back to the
// core heaps that they belong to. Serves the allocator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/core_heap.h"
#include "heap/parcels.h"

namespace homenode::heap {

struct Thread {
  /// In `lent`: a page of the size has been full.
  static constexpr std::uint8_t much_used = 255;

  constexpr Thread() = default;
  /// Of nobody: its pages have no blocks.
  constexpr explicit Thread(Page& empty) : cpu_now(&cpu) {
    for (Page*& page : current) page = &empty;
  }

  const unsigned* cpu_now{};  ///< Where the kernel keeps the CPU that the thread runs on (rseq).
  unsigned cpu{};             ///< That of `heap`.
  unsigned number{};
  Page* current[class_count]{};    ///< Never null: `no_page` has no blocks.
  PageQueue queue[class_count]{};  ///< Others with free blocks, leased or adopted.
  CoreHeap* heap{};
  std::uint8_t lent[class_count]{};  ///< Blocks of larger sizes; see borrow().
  Page* spares{};                    ///< Empty small pages, of the heap's arena.
  unsigned spare_count{};
  Page* medium_spare{};  ///< One empty medium page.
  int id{};              ///< The kernel's, while it lives.
  bool stays{};          ///< With its heap, wherever it runs: a private one, or another node's.
  bool ended{};          ///< Its end was seen, yet it allocates again: other destructors do.
  Thread* next{};        ///< Of all, or of the unused.
  Parcel parcels[parcel_count]{};
  std::uint64_t node_switches{};
};

extern constinit Page no_page;
extern constinit Thread nobody;  ///< What a thread is before its first call.
extern constinit thread_local Thread* self [[gnu::tls_model("initial-exec")]];

/// The slow way of release().
void release_slow(Thread* thread, Page& slice, void* memory);
/// A block of a class, or of one just above, at a multiple of every power of two that divides
/// `bytes`, for a thread that may be anybody's. pre: the caller holds `thread`; bytes > 0.
void* allocate_class(Thread& thread, unsigned size_class, std::size_t bytes);
/// Empty pages that the thread has kept go back to the arena.
void free_spares(Thread& thread);
/// Everything that was leased goes back, and what was kept.
void return_leases(Thread& thread);
/// A page of which no block is out any more: for the fast way of release().
void retire(Thread& thread, Page& page);

/// A block that is at hand; null when allocate_slow() has to look for one. Who has nothing to do
/// after that call ends with it, which saves the fast way a frame.
inline void* take_at_hand(Thread* thread, std::size_t bytes) {
  if (bytes > small_bytes) [[unlikely]]
    return nullptr;
  Page& page = *thread->current[small_class(bytes)];
  Block* const block = page.free;
  if (block == nullptr || *thread->cpu_now != thread->cpu) [[unlikely]]
    return nullptr;
  return pop(page, block);
}

}  // namespace homenode::heap
