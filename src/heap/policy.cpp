#include "heap/policy.h"

#include <linux/mempolicy.h>

#include <cerrno>
#include <cstring>

#include "heap/core_heap.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

constexpr int preferred_many = 5;       // MPOL_PREFERRED_MANY, Linux 5.15
constexpr int weighted_interleave = 6;  // MPOL_WEIGHTED_INTERLEAVE, Linux 6.9

struct Row {
  int mode;
  int older_mode;  ///< What a kernel without it has.
  bool per_node;
};

constexpr Row rows[] = {
    {preferred_many, MPOL_PREFERRED, true},        {MPOL_BIND, MPOL_BIND, true},
    {MPOL_PREFERRED, MPOL_PREFERRED, true},        {MPOL_INTERLEAVE, MPOL_INTERLEAVE, false},
    {weighted_interleave, MPOL_INTERLEAVE, false}, {MPOL_DEFAULT, MPOL_DEFAULT, true},
};

static_assert(sizeof(rows) / sizeof(rows[0]) == sizeof(policy_names) / sizeof(policy_names[0]));

const Row& row_of(Policy policy) {
  return rows[static_cast<unsigned>(policy)];
}

/// Makes the arena's policy true for memory, and counts for the heap what that took.
void follow_policy(CoreHeap& heap, void* memory, std::size_t bytes, bool move) {
  Arena& arena = *heap.arena;
  const Applied applied = apply(arena.policy, memory, bytes, arena.nodes, move);
  heap.policy_calls.add_relaxed(applied.calls);
  if (applied.result != 0) arena.refused_policies.add_relaxed(1);
}

}  // namespace

bool read_policy(const char* text, Policy& policy) {
  unsigned i = 0;
  for (const char* const name : policy_names) {
    if (std::strcmp(text, name) == 0) {
      policy = static_cast<Policy>(i);
      return true;
    }
    ++i;
  }
  return false;
}

const char* policy_name(Policy policy) {
  return policy_names[static_cast<unsigned>(policy)];
}

Policy policy_for(Access access) {
  return access == Access::read ? Policy::interleave : Policy::bind;
}

bool is_per_node(Policy policy) {
  return row_of(policy).per_node;
}

Applied apply(Policy policy, void* address, std::size_t bytes, const system::NodeMask& nodes,
              bool move) {
  const unsigned flags = move ? MPOL_MF_MOVE : 0U;
  const Row& row = row_of(policy);
  if (row.mode == MPOL_DEFAULT) {
    if (!move) return {0, 0};
    return {system::bind(address, bytes, MPOL_DEFAULT, {}, flags), 1};
  }
  if (!row.per_node && !move) (void)system::use_small_pages(address, bytes);
  const int result = system::bind(address, bytes, row.mode, nodes, flags);
  if (result != -EINVAL || row.older_mode == row.mode) return {result, 1};
  return {system::bind(address, bytes, row.older_mode, nodes, flags), 2};
}

void own(CoreHeap& heap, void* memory, std::size_t bytes) {
  const Arena& arena = *heap.arena;
  heap.mappings.add_relaxed(1);
  follow_policy(heap, memory, bytes, false);
  Text text;
  text.add(arena.only_heap != nullptr ? "homenode heap" : "homenode malloc");
  if (arena.node < system::max_nodes) text.add(" node ").add(arena.node);
  (void)system::name(memory, bytes, text.text());
}

void want_huge_pages(const Arena& arena, void* memory, std::size_t bytes) {
  if (!is_per_node(arena.policy)) return;
  (void)system::use_huge_pages(memory, bytes / slice_bytes * slice_bytes);
}

void bind_anew(CoreHeap& heap, void* memory, std::size_t bytes) {
  follow_policy(heap, memory, bytes, true);
}

void sign(const Arena& arena, HeapHeader& header) {
  header.address = reinterpret_cast<std::uintptr_t>(&header);
  header.node = arena.node < system::max_nodes ? arena.node : heap_header_no_node;
  header.private_heap = arena.only_heap != nullptr ? 1 : 0;
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
