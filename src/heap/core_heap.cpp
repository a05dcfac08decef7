#include "heap/core_heap.h"

#include "heap/purge.h"

namespace homenode::heap {
namespace {

Page* take_first(CoreHeap& heap, unsigned size_class) {
  if (seems_empty(heap, size_class)) return nullptr;
  const Guard guard(heap.lock);
  PageQueue& queue = heap.queues[size_class];
  Page* const page = queue.first();
  if (page == nullptr) return nullptr;
  queue.remove(*page);
  heap.arena->listed[size_class].subtract_relaxed(1);
  return page;
}

}  // namespace

void list_page(CoreHeap& heap, Page& page) {
  assert_valid(page);
  tick();
  if (page.used == 0) {
    free_slices(page);
    return;
  }
  count_back(1);
  const Guard guard(heap.lock);
  heap.queues[page.size_class].append(page);
  heap.arena->listed[page.size_class].add_relaxed(1);
}

Page* lease_page(CoreHeap& heap, unsigned size_class) {
  if (heap.arena->listed[size_class].load_relaxed() == 0) return nullptr;
  Page* page = take_first(heap, size_class);
  CoreHeap* other = heap.arena->heaps.load_acquire();
  for (; page == nullptr && other != nullptr; other = other->next) {
    page = take_first(*other, size_class);
  }
  if (page == nullptr) return nullptr;
  (void)collect(*page);
  assert_valid(*page);
  return page;
}

bool reclaim_listed(Arena& arena) {
  bool any = false;
  CoreHeap* heap = arena.heaps.load_acquire();
  for (; heap != nullptr; heap = heap->next) {
    const Guard guard(heap->lock);
    for (unsigned c = 0; c < class_count; ++c) {
      for (Page* page = heap->queues[c].first(); page != nullptr;) {
        Page* const next = page->next;
        (void)collect(*page);
        if (page->used == 0) {
          heap->queues[c].remove(*page);
          arena.listed[c].subtract_relaxed(1);
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
