// The policies and the marks of arenas' memory.
#include "heap/core_heap.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

/// Makes the arena's policy true for memory, and counts for the heap what that took.
void follow_policy(CoreHeap& heap, void* memory, std::size_t bytes, bool move) {
  Arena& arena = *heap.arena;
  const Applied applied = apply(arena.policy, memory, bytes, arena.nodes, move);
  __atomic_fetch_add(&heap.policy_calls, applied.calls, __ATOMIC_RELAXED);
  if (applied.result != 0) __atomic_fetch_add(&arena.refused_policies, 1, __ATOMIC_RELAXED);
}

}  // namespace

void own(CoreHeap& heap, void* memory, std::size_t bytes) {
  const Arena& arena = *heap.arena;
  __atomic_fetch_add(&heap.mappings, 1, __ATOMIC_RELAXED);
  follow_policy(heap, memory, bytes, false);
  Text text;
  text.add(arena.only_heap != nullptr ? "homenode heap" : "homenode malloc");
  if (arena.node < system::max_nodes) text.add(" node ").add(arena.node);
  (void)system::name(memory, bytes, text.text());
}

void bind_anew(CoreHeap& heap, void* memory, std::size_t bytes) {
  follow_policy(heap, memory, bytes, true);
}

void sign(const Arena& arena, HeapHeader& header) {
  header.address = reinterpret_cast<std::uintptr_t>(&header);
  header.node = arena.node < system::max_nodes ? arena.node : heap_header_no_node;
  header.in_hand = arena.only_heap != nullptr ? 1 : 0;
  header.magic = heap_header_magic;
}

void rebind(Arena& arena, const system::NodeMask& nodes) {
  const Guard guard(arena.lock);
  arena.nodes = nodes;
  arena.node = nodes.count() == 1 ? nodes.next(0) : system::max_nodes;
  CoreHeap& heap = *arena.only_heap;
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    bind_anew(heap, chunk, chunk->slices * slice_bytes);
    sign(arena, chunk->header);
  }
  if (arena.reserved_bytes > 0) bind_anew(heap, arena.reserved, arena.reserved_bytes);
}

}  // namespace homenode::heap
