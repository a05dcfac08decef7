#include "heap/statistics.h"

#include "heap/huge.h"
#include "heap/process.h"

namespace homenode::heap {
namespace {

/// What others have freed and nobody has collected yet.
std::size_t waiting_blocks(const Page& page) {
  return __atomic_load_n(&page.remote, __ATOMIC_RELAXED) >> Page::remote_count_shift;
}

/// Blocks that are out, as far as anybody but the holder can tell.
std::size_t live_blocks(const Page& page) {
  const Thread* const lessee = page.leased_by();
  const std::size_t used = __atomic_load_n(&page.used, __ATOMIC_RELAXED);
  const bool current = lessee != nullptr && lessee->current[page.size_class] == &page;
  const std::size_t back = waiting_blocks(page) + (current ? current_page_bias : 0);
  return used > back ? used - back : 0;
}

void add_page(Totals& sum, const Page& page) {
  if (page.kind == Kind::large) {
    sum.live_bytes += page.carved * slice_bytes;
  } else if (page.capacity > 0) {
    sum.live_bytes += live_blocks(page) * page.block_bytes;
    sum.remote_frees += waiting_blocks(page);
  }
}

/// Calls visit(page) for each page in use. pre: the lock is held.
template <class Visit>
void for_pages(const Arena& arena, Visit visit) {
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    for (unsigned i = first_slice; i < chunk->slices;) {
      const Page& page = chunk->page(i);
      const unsigned slices = chunk->free.contains(i) ? 0 : slice_count(page);
      if (slices > 0) visit(page);
      i += slices > 0 ? slices : 1;
    }
  }
}

void add_calls(Totals& sum, const CoreHeap& heap) {
  sum.remote_frees += __atomic_load_n(&heap.remote_frees, __ATOMIC_RELAXED);
  sum.mappings += __atomic_load_n(&heap.mappings, __ATOMIC_RELAXED);
  sum.policy_calls += __atomic_load_n(&heap.policy_calls, __ATOMIC_RELAXED);
}

void add(Totals& sum, const Totals& one) {
  sum.live_bytes += one.live_bytes;
  sum.committed_bytes += one.committed_bytes;
  sum.kept_bytes += one.kept_bytes;
  sum.peak_bytes += one.peak_bytes;
  sum.mapped_bytes += one.mapped_bytes;
  sum.huge_blocks += one.huge_blocks;
  sum.huge_bytes += one.huge_bytes;
  sum.free_pages += one.free_pages;
  sum.remote_frees += one.remote_frees;
  sum.mappings += one.mappings;
  sum.policy_calls += one.policy_calls;
  sum.refused_policies += one.refused_policies;
  sum.lent_blocks += one.lent_blocks;
}

}  // namespace

Totals count(Arena& arena) {
  Totals totals{};
  (void)reclaim_listed(arena);  // So that what others have freed is not in use any more.
  const HugeTotals huge = count_huge(arena);
  const Guard guard(arena.lock);
  for_pages(arena, [&](const Page& page) { add_page(totals, page); });
  const CoreHeap* heap = __atomic_load_n(&arena.heaps, __ATOMIC_ACQUIRE);
  for (; heap != nullptr; heap = heap->next) add_calls(totals, *heap);
  for (const unsigned& listed : arena.listed) {
    totals.free_pages += __atomic_load_n(&listed, __ATOMIC_RELAXED);
  }
  totals.live_bytes += huge.bytes;
  totals.huge_blocks = huge.blocks;
  totals.huge_bytes = huge.bytes;
  totals.kept_bytes = arena.dirty_free_slices * slice_bytes;
  totals.committed_bytes = arena.usage.bytes + totals.kept_bytes;
  totals.peak_bytes = arena.usage.peak_bytes;
  totals.mapped_bytes = arena.mapped_bytes + huge.bytes;
  totals.refused_policies = __atomic_load_n(&arena.refused_policies, __ATOMIC_RELAXED);
  totals.lent_blocks = __atomic_load_n(&arena.lent_blocks, __ATOMIC_RELAXED);
  return totals;
}

Totals count(const CoreHeap& heap) {
  Totals totals{};
  totals.huge_bytes = huge_bytes_of(heap);
  totals.live_bytes = totals.huge_bytes;
  const Guard guard(heap.arena->lock);
  for_pages(*heap.arena, [&](const Page& page) {
    if (page.heap == heap.cpu) add_page(totals, page);
  });
  add_calls(totals, heap);
  totals.committed_bytes = heap.usage.bytes;
  totals.peak_bytes = heap.usage.peak_bytes;
  return totals;
}

Totals count_all() {
  Totals sum{};
  send_parcels(*self);  // What other threads keep counts as live.
  for_arenas([&](Arena& arena) { add(sum, count(arena)); });
  return sum;
}

}  // namespace homenode::heap
