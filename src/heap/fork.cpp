#include "heap/fork.h"

#include <pthread.h>

#include "heap/huge.h"
#include "heap/process.h"

// glibc exports these without declaring them; the lock may be taken again by who has it.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
[[gnu::weak]] void _IO_list_lock();
[[gnu::weak]] void _IO_list_unlock();
[[gnu::weak]] void _IO_list_resetlock();
[[gnu::weak]] extern char __libc_single_threaded;  // glibc 2.32.
}
// NOLINTEND(bugprone-reserved-identifier)

namespace homenode::heap {
namespace {

using namespace detail;

constinit bool taken = false;  ///< By who forks. Under all of the locks.

bool has_one_thread() {
  return &__libc_single_threaded != nullptr && __libc_single_threaded != 0;
}

template <class Visit>
void for_heaps(Visit visit) {
  for_node_arenas([&](Arena& arena) {
    CoreHeap* heap = arena.heaps.load_relaxed();
    for (; heap != nullptr; heap = heap->next) visit(*heap);
  });
}

// Locks are taken in one function and given in another, and as many as there are arenas.
HN_UNCHECKED void take(Lock& lock) {
  lock.lock();
}
HN_UNCHECKED void give(Lock& lock) {
  lock.unlock();
}

/// Who uses a private heap may want any of the other locks.
HN_UNCHECKED void take_all() {
  if (has_one_thread()) return;
  if (&_IO_list_lock != nullptr) _IO_list_lock();
  take(private_lock);
  for_private_arenas([](Arena& arena) { take(arena.use_lock); });
  take(process_lock);
  take(meta_lock);
  for_heaps([](CoreHeap& heap) { take(heap.lock); });
  for_private_arenas([](Arena& arena) { take(arena.only_heap->lock); });
  for_node_arenas([](Arena& arena) { take(arena.lock); });
  for_private_arenas([](Arena& arena) { take(arena.lock); });
  take(huge_lock);
  taken = true;
}

HN_UNCHECKED void give_all() {
  taken = false;
  give(huge_lock);
  for_private_arenas([](Arena& arena) { give(arena.lock); });
  for_node_arenas([](Arena& arena) { give(arena.lock); });
  for_private_arenas([](Arena& arena) { give(arena.only_heap->lock); });
  for_heaps([](CoreHeap& heap) { give(heap.lock); });
  give(meta_lock);
  give(process_lock);
  for_private_arenas([](Arena& arena) { give(arena.use_lock); });
  give(private_lock);
}

HN_UNCHECKED void start_parent() {
  if (!taken) return;
  give_all();
  if (&_IO_list_unlock != nullptr) _IO_list_unlock();
}

/// Sorts a page of somebody who is gone, or of a queue.
void sort(Page& page) {
  page.lease_to(nullptr);
  if (page.capacity == 0) {  // Taken, but not set up yet; or a spare.
    free_slices(page);
    return;
  }
  if (page.remote.load_relaxed() == Page::at_large) return;
  recount(page);
  const bool has_room = collect(page) || page.carved < page.capacity;
  if (has_room || !let_go(page)) list_page(owner_of(page), page);
}

HN_UNCHECKED void sort_pages(Arena& arena) {
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    for (unsigned i = first_slice; i < chunk->slices;) {
      Page& page = chunk->page(i);
      if (chunk->free.contains(i)) {
        ++i;
        continue;
      }
      const unsigned count = slice_count(page);
      const bool of_blocks = page.kind == Kind::small || page.kind == Kind::medium;
      if (of_blocks && page.leased_by() != self) sort(page);
      i += count > 0 ? count : 1;
    }
  }
}

HN_UNCHECKED void forget_threads() {
  for (Thread* thread = threads; thread != nullptr;) {
    Thread* const next = thread->next;
    if (thread != self) {
      send_parcels_of_gone(*thread);
      for (Page*& page : thread->current) page = &no_page;
      for (PageQueue& queue : thread->queue) queue.clear();
      thread->spares = nullptr;
      thread->spare_count = 0;
      thread->medium_spare = nullptr;
      thread->ended = false;
      thread->next = unused_threads;
      unused_threads = thread;
    }
    thread = next;
  }
  threads = self == &nobody ? nullptr : self;
  if (threads != nullptr) threads->next = nullptr;
}

/// Forgets the threads that are gone, whose leases then look like those of nobody.
HN_UNCHECKED void end_others() {
  forget_threads();
  for_heaps([](CoreHeap& heap) {
    for (PageQueue& queue : heap.queues) queue.clear();
  });
  for_node_arenas([](Arena& arena) {
    for (Atomic<unsigned>& count : arena.listed) count.store_relaxed(0);
  });
}

HN_UNCHECKED void start_child() {
  if (self != &nobody) self->id = system::thread_id();
  if (!taken) return;  // What a signal handler has interrupted goes on here as well.
  const bool alone = threads == nullptr || (threads == self && threads->next == nullptr);
  if (!alone) end_others();
  give_all();
  if (&_IO_list_resetlock != nullptr) _IO_list_resetlock();
  if (alone) return;
  free_spares(*self);  // They look like pages that somebody was setting up.
  for_node_arenas([](Arena& arena) { sort_pages(arena); });
}

}  // namespace

void watch_forks() {
  (void)pthread_atfork(&take_all, &start_parent, &start_child);
}

}  // namespace homenode::heap
