#include "heap/core_heap.h"

#include "heap/purge.h"

namespace homenode::heap {
namespace {

Page* take_first(CoreHeap& heap, unsigned size_class) {
  PageQueue& queue = heap.queues[size_class];
  if (queue.seems_empty()) return nullptr;
  const Guard guard(heap.lock);
  Page* const page = queue.first;
  if (page == nullptr) return nullptr;
  queue.remove(*page);
  __atomic_fetch_sub(&heap.arena->listed[size_class], 1, __ATOMIC_RELAXED);
  return page;
}

}  // namespace

void list_page(CoreHeap& heap, Page& page) {
  tick();
  if (page.used == 0) {
    free_slices(page);
    return;
  }
  count_back(1);
  const Guard guard(heap.lock);
  heap.queues[page.size_class].append(page);
  __atomic_fetch_add(&heap.arena->listed[page.size_class], 1, __ATOMIC_RELAXED);
}

Page* lease_page(CoreHeap& heap, unsigned size_class) {
  if (__atomic_load_n(&heap.arena->listed[size_class], __ATOMIC_RELAXED) == 0) return nullptr;
  Page* page = take_first(heap, size_class);
  CoreHeap* other = __atomic_load_n(&heap.arena->heaps, __ATOMIC_ACQUIRE);
  for (; page == nullptr && other != nullptr; other = other->next) {
    page = take_first(*other, size_class);
  }
  if (page != nullptr) (void)collect(*page);
  return page;
}

bool reclaim_listed(Arena& arena) {
  bool any = false;
  CoreHeap* heap = __atomic_load_n(&arena.heaps, __ATOMIC_ACQUIRE);
  for (; heap != nullptr; heap = heap->next) {
    const Guard guard(heap->lock);
    for (unsigned c = 0; c < class_count; ++c) {
      for (Page* page = heap->queues[c].first; page != nullptr;) {
        Page* const next = page->next;
        (void)collect(*page);
        if (page->used == 0) {
          heap->queues[c].remove(*page);
          __atomic_fetch_sub(&arena.listed[c], 1, __ATOMIC_RELAXED);
          free_slices(*page);
          any = true;
        }
        page = next;
      }
    }
  }
  return any;
}

}  // namespace homenode::heap
