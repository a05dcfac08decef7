// Where the memory of an arena goes: the names that a person writes, and the kernel's policy for
// them. Serves the allocator. `bind` prefers its nodes and spills to others when
// they are full, because the kernel kills a process whose strictly bound memory has run out;
// `bind:strict` is the kernel's own.
#pragma once

#include "base/heap_header.h"
#include "heap/system.h"

namespace homenode::heap {

struct Arena;
struct CoreHeap;

/// Their names are policy_names (base/heap_header.h), in this order.
enum class Policy : unsigned char { bind, strict, preferred, interleave, weighted, local };

/// How memory will be used. A write costs more than a read wherever the memory is, because the
/// line is fetched and written back; a reader of shared data gains from every node's bandwidth.
enum class Access : unsigned char { read_write, read, write };

/// Reads one of the words. False otherwise.
bool read_policy(const char* text, Policy& policy);
const char* policy_name(Policy policy);
/// The policy for a way of access where nobody named one: interleaved for what is only read, bound
/// to the writer's node for what is written.
Policy policy_for(Access access);
/// True when each node has an arena of its own; otherwise one arena serves all.
bool is_per_node(Policy policy);

struct Applied {
  int result;      ///< 0 or -errno.
  unsigned calls;  ///< To the kernel.
};
/// Makes a policy true for memory that has not been touched, or with `move` for what has. An old
/// kernel gets the nearest thing that it has.
Applied apply(Policy policy, void* address, std::size_t bytes, const system::NodeMask& nodes,
              bool move);

/// Gives new memory that a heap asked for the policy of its arena, and a name in /proc/PID/maps.
void own(CoreHeap& heap, void* memory, std::size_t bytes);
/// Asks for huge pages, but where an interleaving would go by them.
void want_huge_pages(const Arena& arena, void* memory, std::size_t bytes);
/// Gives memory in use another policy, and moves it.
void bind_anew(CoreHeap& heap, void* memory, std::size_t bytes);
/// Writes at the start of memory whose it is, for `homenode where`, which reads it from outside:
/// few kernels can name mappings.
void sign(const Arena& arena, HeapHeader& header);
/// Moves what an arena has to other nodes, where its memory also comes from from now on.
/// pre: the arena is of a heap that a program made.
void rebind(Arena& arena, const system::NodeMask& nodes);

}  // namespace homenode::heap
