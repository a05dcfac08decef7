// heap.h: private heaps, which a program makes. Each is an arena with one core heap and one
// "thread" that takes from it under a lock; what is freed comes back as in the process's own heaps.
#include <homenode/heap.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "heap/blocks.h"
#include "heap/huge.h"
#include "heap/nodes.h"
#include "heap/process.h"
#include "heap/statistics.h"

using namespace homenode::heap;

struct hn_heap {
  Arena arena;
  CoreHeap heap;
  Thread thread HN_GUARDED_BY(arena.use_lock);
  hn_heap* next_unused;
};

namespace {

constinit hn_heap* unused_heaps HN_GUARDED_BY(detail::private_lock) = nullptr;

template <class Value>
Value fail(int error, Value value) {
  errno = error;
  return value;
}

hn_heap* new_heap() {
  {
    const Guard guard(detail::private_lock);
    if (hn_heap* const record = unused_heaps; record != nullptr) {
      unused_heaps = record->next_unused;
      std::memset(static_cast<void*>(record), 0, sizeof *record);
      return record;
    }
  }
  return static_cast<hn_heap*>(meta_allocate(sizeof(hn_heap)));
}

void enter(Arena& arena) {
  const Guard guard(detail::private_lock);
  arena.next = detail::private_arenas.load_relaxed();
  detail::private_arenas.store_release(&arena);
}

/// No lock is needed: nobody knows the heap yet.
HN_UNCHECKED void set_up(hn_heap& heap, Policy policy, const system::NodeMask& nodes) {
  heap.arena.node = nodes.count() == 1 ? nodes.next(0) : system::max_nodes;
  heap.arena.policy = policy;
  heap.arena.nodes = nodes;
  heap.arena.only_heap = &heap.heap;
  heap.arena.heaps.store_relaxed(&heap.heap);
  heap.arena.last_tick_ms = system::milliseconds();
  heap.heap.arena = &heap.arena;
  heap.thread.heap = &heap.heap;
  heap.thread.cpu_now = &heap.thread.cpu;
  heap.thread.stays = true;
  for (Page*& page : heap.thread.current) page = &no_page;
}

void* allocate_from(hn_heap* heap, std::size_t bytes, std::size_t alignment, bool& zeroed) {
  if (heap == nullptr) return fail<void*>(EINVAL, nullptr);
  const Guard guard(heap->arena.use_lock);
  void* const memory = allocate_in(heap->thread, bytes, alignment, zeroed);
  return memory != nullptr ? memory : fail<void*>(ENOMEM, nullptr);
}

int give_totals(const Totals& totals, hn_heap_statistics* statistics) {
  *statistics = {totals.live_bytes,   totals.committed_bytes, totals.peak_bytes,
                 totals.kept_bytes,   totals.mapped_bytes,    totals.refused_policies,
                 totals.remote_frees, totals.mappings,        totals.policy_calls};
  return 0;
}

hn_heap* holder(const Arena* arena) {
  if (arena == nullptr || arena->only_heap == nullptr) return nullptr;
  constexpr std::size_t offset = offsetof(hn_heap, heap);
  return reinterpret_cast<hn_heap*>(reinterpret_cast<char*>(arena->only_heap) - offset);
}

}  // namespace

#define HN_EXPORT [[gnu::visibility("default")]]

extern "C" {

HN_EXPORT hn_heap* hn_heap_create(const hn_heap_options* options) {
  start_process();
  const hn_heap_options wanted = options != nullptr ? *options : hn_heap_options{};
  if (wanted.access < HN_HEAP_READ_WRITE || wanted.access > HN_HEAP_WRITE) {
    return fail<hn_heap*>(EINVAL, nullptr);
  }
  Policy policy = policy_for(static_cast<Access>(wanted.access));
  system::NodeMask nodes{};
  if ((wanted.policy != nullptr && !read_policy(wanted.policy, policy)) ||
      !choose_nodes(wanted.nodes, policy, nodes)) {
    return fail<hn_heap*>(EINVAL, nullptr);
  }
  hn_heap* const heap = new_heap();
  if (heap == nullptr) return fail<hn_heap*>(ENOMEM, nullptr);
  set_up(*heap, policy, nodes);
  enter(heap->arena);
  return heap;
}

HN_EXPORT void hn_heap_destroy(hn_heap* heap) {
  if (heap == nullptr) return;
  release_all_huge(heap->arena);
  unmap_all(heap->arena);
  const Guard guard(detail::private_lock);
  Arena* const first = detail::private_arenas.load_relaxed();
  if (first == &heap->arena) {
    detail::private_arenas.store_release(first->next);
  } else {
    Arena* before = first;
    while (before->next != &heap->arena) before = before->next;
    before->next = heap->arena.next;
  }
  heap->next_unused = unused_heaps;
  unused_heaps = heap;
}

HN_EXPORT void* hn_heap_malloc(hn_heap* heap, std::size_t bytes) {
  bool zeroed = false;
  return allocate_from(heap, bytes, granule_bytes, zeroed);
}

HN_EXPORT void* hn_heap_calloc(hn_heap* heap, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return fail<void*>(ENOMEM, nullptr);
  bool zeroed = false;
  void* const memory = allocate_from(heap, all, granule_bytes, zeroed);
  if (memory != nullptr && !zeroed) std::memset(memory, 0, all);
  return memory;
}

HN_EXPORT void* hn_heap_aligned_alloc(hn_heap* heap, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment)) return fail<void*>(EINVAL, nullptr);
  bool zeroed = false;
  return allocate_from(heap, bytes, alignment, zeroed);
}

HN_EXPORT void* hn_heap_realloc(hn_heap* heap, void* memory, std::size_t bytes) {
  if (memory == nullptr) return hn_heap_malloc(heap, bytes);
  if (heap == nullptr || hn_heap_of(memory) != heap) return fail<void*>(EINVAL, nullptr);
  if (void* const same = resize_in_place(memory, bytes); same != nullptr) return same;
  void* const other = hn_heap_malloc(heap, bytes);
  if (other == nullptr) return nullptr;
  const std::size_t had = usable_bytes(memory);
  std::memcpy(other, memory, bytes < had ? bytes : had);
  release(memory);
  return other;
}

HN_EXPORT void hn_heap_free(void* memory) {
  release(memory);
}

HN_EXPORT int hn_heap_move(hn_heap* heap, const char* nodes) {
  system::NodeMask wanted{};
  if (heap == nullptr || nodes == nullptr || !choose_nodes(nodes, heap->arena.policy, wanted)) {
    return fail(EINVAL, -1);
  }
  rebind(heap->arena, wanted);
  rebind_huge(heap->arena);
  return 0;
}

HN_EXPORT hn_heap* hn_heap_of(const void* memory) {
  return holder(arena_of_block(memory));
}

HN_EXPORT int hn_heap_node_of(const void* memory) {
  const int node = system::node_of(memory);
  return node >= 0 ? node : fail(-node, -1);
}

HN_EXPORT int hn_heap_statistics_of(hn_heap* heap, hn_heap_statistics* statistics) {
  if (statistics == nullptr) return fail(EINVAL, -1);
  return give_totals(heap != nullptr ? count(heap->arena) : count_all(), statistics);
}

HN_EXPORT int hn_heap_statistics_of_node(unsigned node, hn_heap_statistics* statistics) {
  if (statistics == nullptr) return fail(EINVAL, -1);
  Arena* const arena = known_arena(node);
  return arena != nullptr ? give_totals(count(*arena), statistics) : fail(ENOENT, -1);
}

HN_EXPORT int hn_heap_statistics_of_cpu(unsigned cpu, hn_heap_statistics* statistics) {
  if (statistics == nullptr) return fail(EINVAL, -1);
  const CoreHeap* const heap = known_heap(cpu);
  return heap != nullptr ? give_totals(count(*heap), statistics) : fail(ENOENT, -1);
}

HN_EXPORT void hn_heap_write_statistics(int file) {
  write_statistics(file);
}
}
