// The heap of a core: the pages that belong to it and that no thread has leased, by size. Memory
// freed from anywhere comes back here. Serves the allocator.
#pragma once

#include <cstdint>

#include "heap/arena.h"

namespace homenode::heap {

/// Pages in the order in which they came. The first has waited longest, so that most has been freed
/// into it.
struct PageQueue {
  Atomic<Page*> head;
  Page* last;

  void append(Page& page) {
    page.next = nullptr;
    page.prev = last;
    if (last != nullptr) {
      last->next = &page;
    } else {
      set_first(&page);
    }
    last = &page;
  }
  void remove(Page& page) {
    if (page.prev != nullptr) {
      page.prev->next = page.next;
    } else {
      set_first(page.next);
    }
    (page.next != nullptr ? page.next->prev : last) = page.prev;
    page.next = page.prev = nullptr;
  }
  [[nodiscard]] Page* first() const { return head.load_relaxed(); }
  /// Forgets its pages.
  void clear() {
    set_first(nullptr);
    last = nullptr;
  }

 private:
  void set_first(Page* page) { head.store_relaxed(page); }
};

struct CoreHeap {
  Lock lock;
  unsigned cpu;
  Arena* arena;
  CoreHeap* next;  ///< Of the same arena.
  PageQueue queues[class_count] HN_GUARDED_BY(lock);
  Usage usage;                         ///< In its pages and huge blocks. Under the arena's lock.
  Atomic<std::uint64_t> remote_frees;  ///< Blocks that came back from those who did not hold their
                                       ///< page, as far as they were collected.
  Atomic<std::uint64_t> mappings;      ///< Pieces of address space that its requests have cost.
  Atomic<std::uint64_t> policy_calls;  ///< For those.
};

/// A look from outside, without the lock.
HN_UNCHECKED inline bool seems_empty(const CoreHeap& heap, unsigned size_class) {
  return heap.queues[size_class].first() == nullptr;
}

/// Puts a page that the caller holds, with free blocks in it, into its owner's queue; one without
/// any block in use goes back to the arena. pre: as for tick().
void list_page(CoreHeap& heap, Page& page);
/// A page with free blocks, of this heap or another one of its arena; the caller holds it. Null
/// when there is none.
Page* lease_page(CoreHeap& heap, unsigned size_class);
/// Gives listed pages that have become empty back to the arena. True when there was one.
bool reclaim_listed(Arena& arena);

}  // namespace homenode::heap
