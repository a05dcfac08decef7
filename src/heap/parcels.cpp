#include "heap/parcels.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

/// Gives blocks back that are linked from the first to the last.
void deliver(Thread& thread, Page& page, Block* first, Block* last, std::uint32_t count) {
  if (!push_remote(page, first, last, count)) return;
  // The page was at large, and is ours now. Who filled it last will want it back; for others it
  // goes to its heap, so that memory never changes hands by being freed.
  (void)collect(page);
  if (&thread != &nobody && page.last_thread == thread.number &&
      chunk_of(page).arena == thread.heap->arena) {
    page.lease_to(&thread);
    thread.queue[page.size_class].append(page);
    if (page.used == 0) retire(thread, page);
    return;
  }
  list_page(owner_of(page), page);
}

void send(Thread& thread, Parcel& parcel) {
  Block* const first = parcel.first;
  parcel.first = nullptr;  // Before it goes: the child of a fork would send it again.
  keep_order();
  deliver(thread, *parcel.page, first, parcel.last, parcel.count);
}

void add(Thread& thread, Parcel& parcel, Block* block) {
  check_taken(block);
  set_next(block, parcel.first);
  if (parcel.first == nullptr) {
    parcel.last = block;
    parcel.count = 0;
  }
  keep_order();  // The list is whole at every instant, as in push().
  parcel.first = block;
  if (std::size_t{++parcel.count} * parcel.page->block_bytes >= parcel_bytes) send(thread, parcel);
}

}  // namespace

void release_remote(Thread& thread, Page& page, void* memory) {
  check_start(page, memory);
  auto* const block = static_cast<Block*>(memory);
  Parcel& parcel = thread.parcels[slice_of(page) % parcel_count];
  // What is kept keeps its page; a page of which nothing is kept may have become another kind.
  if (parcel.page == &page && page.kind == Kind::small) {
    add(thread, parcel, block);
    return;
  }
  // Heaps that the program made can go at any moment, with what anybody keeps of them. All of this
  // is looked at before the block is given back, after which the page may be anything.
  const bool may_keep =
      &thread != &nobody && page.kind == Kind::small && chunk_of(page).arena->only_heap == nullptr;
  check_taken(block);
  deliver(thread, page, block, block, 1);
  if (!may_keep) return;
  if (parcel.first != nullptr) send(thread, parcel);
  parcel.page = &page;
}

void send_parcels(Thread& thread) {
  for (Parcel& parcel : thread.parcels) {
    if (parcel.first != nullptr) send(thread, parcel);
    parcel.page = nullptr;
  }
}

void send_parcels_of_gone(Thread& thread) {
  for (Parcel& parcel : thread.parcels) {
    Page* const page = parcel.page;
    parcel.page = nullptr;
    if (parcel.first == nullptr) continue;
    std::uint32_t count = 1;
    Block* last = parcel.first;
    for (Block* next = next_of(last); next != nullptr; next = next_of(last)) {
      last = next;
      ++count;
    }
    (void)push_remote(*page, parcel.first, last, count);  // All pages are sorted anew.
    parcel.first = nullptr;
  }
}

}  // namespace homenode::heap
