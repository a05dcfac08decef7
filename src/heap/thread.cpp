#include "heap/thread.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

constexpr std::size_t young_bytes = 8 << 10;
/// Of 1 KiB and less: their first page in a thread may stay nearly empty for ever.
constexpr unsigned sparse_classes = linear_classes + 3 * 8;
constexpr unsigned most_spares = 3;

/// Keeps an empty page for any size that wants one of its kind, or gives it back.
void keep_or_free(Thread& thread, Page& page) {
  const bool near = chunk_of(page).arena == thread.heap->arena;
  const bool small = page.kind == Kind::small;
  if (!near || (small && thread.spare_count >= most_spares)) {
    free_slices(page);
    return;
  }
  page.lease_to(nullptr);
  page.capacity = 0;
  if (small) {
    page.next = thread.spares;
    thread.spares = &page;
    ++thread.spare_count;
  } else {
    Page* const other = thread.medium_spare;
    thread.medium_spare = &page;
    if (other != nullptr) free_slices(*other);
  }
}

Page* take_spare(Thread& thread, unsigned slices) {
  const bool small = slices == 1;
  Page* const page = small ? thread.spares : thread.medium_spare;
  if (page == nullptr) return nullptr;
  if (!small && page->slices != slices) return nullptr;
  if (small) {
    thread.spares = page->next;
    --thread.spare_count;
  } else {
    thread.medium_spare = nullptr;
  }
  return page;
}

/// `sparse`: the page is one of which few blocks may ever be out.
Page* fresh_page(Thread& thread, unsigned size_class, bool sparse) {
  const unsigned slices = slices_of_class(size_class);
  Page* page = sparse ? take_clean_slice(*thread.heap) : nullptr;
  if (page == nullptr) page = take_spare(thread, slices);
  if (page == nullptr) {
    bool zeroed = false;
    page = take_slices(*thread.heap, slices == 1 ? Kind::small : Kind::medium, slices, 1, zeroed);
    if (page == nullptr) return nullptr;
  }
  if (page->heap != thread.heap->cpu) hand_over(*page, *thread.heap);
  set_up(*page, size_class, thread.heap->cpu);
  return page;
}

void make_current(Thread& thread, Page& page) {
  page.used += current_page_bias;
  page.last_thread = thread.number;
  page.lease_to(&thread);
  thread.current[page.size_class] = &page;
}

/// Half a megabyte for each size is too much to keep: an empty one serves the others.
void retire_current(Thread& thread, Page& page) {
  if (thread.current[page.size_class] != &page) return;
  thread.current[page.size_class] = &no_page;
  page.used = 0;
  keep_or_free(thread, page);
}

/// Whether new memory has to become present for the next block of a size.
bool has_none(const Thread& thread, unsigned size_class) {
  return thread.queue[size_class].first() == nullptr &&
         thread.heap->arena->listed[size_class].load_relaxed() == 0;
}

/// A page with a free block in place of the current one, which has none; null: no memory.
Page* next_current(Thread& thread, unsigned size_class, bool first) {
  follow_cpu(thread);
  PageQueue& queue = thread.queue[size_class];
  Page* page = queue.first();
  if (page != nullptr) {
    queue.remove(*page);
  } else if ((page = lease_page(*thread.heap, size_class)) == nullptr) {
    Arena& arena = *thread.heap->arena;
    if (arena.reclaim_due.load_relaxed()) {
      arena.reclaim_due.store_relaxed(false);
      (void)reclaim_listed(arena);
    }
    page = fresh_page(thread, size_class, first && size_class < sparse_classes);
    if (page == nullptr) send_parcels(thread);
    if (page == nullptr && reclaim_listed(arena)) {
      page = fresh_page(thread, size_class, false);
    }
    if (page == nullptr) return nullptr;
  }
  make_current(thread, *page);
  return page;
}

/// A free block of a size that is not much larger, so that no new memory becomes present. Not too
/// often: it is a slow way, and a size that is much used has its own. Null: none.
void* borrow(Thread& thread, unsigned size_class, std::size_t bytes) {
  constexpr unsigned reach = 8;
  constexpr unsigned most_lent = 240;  // Together what some page faults cost.
  if (thread.lent[size_class] >= most_lent) return nullptr;
  const std::size_t alignment = bytes & (~bytes + 1);
  for (unsigned c = size_class + 1; c < small_class_count && c <= size_class + reach; ++c) {
    Page& page = *thread.current[c];
    if (page.free == nullptr) continue;
    if (page.block_bytes >= 2 * bytes) break;
    if ((page.block_bytes & (alignment - 1)) != 0) continue;
    ++thread.lent[size_class];
    return pop(page, page.free);
  }
  return nullptr;
}

/// Returns a page that is leased: into its owner's queue, or at large when every block is out.
void give_back(Page& page) {
  const bool has_room = page.free != nullptr || page.carved < page.capacity || collect(page);
  if (!has_room && let_go(page)) return;
  if (!has_room) (void)collect(page);  // Something was freed meanwhile.
  page.lease_to(nullptr);
  list_page(owner_of(page), page);
}

}  // namespace

constinit Page no_page{};
constinit Thread nobody(no_page);
constinit thread_local Thread* self [[gnu::tls_model("initial-exec")]] = &nobody;

void* allocate_class(Thread& thread, unsigned size_class, std::size_t bytes) {
  for (;;) {
    Page* page = thread.current[size_class];
    if (page->free != nullptr) return pop(*page, page->free);
    const bool first = page == &no_page && thread.lent[size_class] != Thread::much_used;
    if (page != &no_page) {
      if (collect(*page)) continue;
      if (page->carved < page->capacity) {
        if (std::size_t{page->carved} * page->block_bytes <= young_bytes) {
          if (void* const other = borrow(thread, size_class, bytes); other != nullptr) return other;
        }
        (void)carve(*page);
        continue;
      }
      if (!let_go(*page)) {  // Something was freed meanwhile.
        page->used += current_page_bias;
        page->lease_to(&thread);
        continue;
      }
      thread.current[size_class] = &no_page;
      thread.lent[size_class] = Thread::much_used;
    }
    if (first && has_none(thread, size_class)) {
      if (void* const other = borrow(thread, size_class, bytes); other != nullptr) return other;
    }
    page = next_current(thread, size_class, first);
    if (page == nullptr) return nullptr;
    if (page->free == nullptr) (void)carve(*page);
  }
}

void retire(Thread& thread, Page& page) {
  thread.queue[page.size_class].remove(page);
  keep_or_free(thread, page);
}

void free_spares(Thread& thread) {
  if (thread.medium_spare != nullptr) free_slices(*thread.medium_spare);
  thread.medium_spare = nullptr;
  while (thread.spares != nullptr) {
    Page* const page = thread.spares;
    thread.spares = page->next;
    free_slices(*page);
  }
  thread.spare_count = 0;
}

void return_leases(Thread& thread) {
  send_parcels(thread);  // First: pages may come back by it.
  for (unsigned c = 0; c < class_count; ++c) {
    if (Page* const page = thread.current[c]; page != &no_page) {
      thread.current[c] = &no_page;
      page->used -= current_page_bias;
      give_back(*page);
    }
    while (Page* const page = thread.queue[c].first()) {
      thread.queue[c].remove(*page);
      give_back(*page);
    }
  }
  free_spares(thread);
}

void release_slow(Thread* thread, Page& slice, void* memory) {
  Page& page = page_of(slice);
  if (page.leased_by() == thread) {
    if (push(page, memory)) {
      retire(*thread, page);
    } else if (page.used == current_page_bias && page.kind == Kind::medium) {
      retire_current(*thread, page);
    }
    return;
  }
  if (page.kind == Kind::large) {
    if (memory_of(page) != memory) die("not the start of a block", memory);
    free_slices(page);
    return;
  }
  if (page.kind == Kind::unused) die("not a block in use", memory);
  release_remote(thread != &nobody ? *thread : *start_freeing(), page, memory);
}

}  // namespace homenode::heap
