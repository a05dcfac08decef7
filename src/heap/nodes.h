// Which node a CPU is on, and whose memory a thread on it gets. Serves the allocator. Ids may have
// gaps; nodes may be without CPUs or without memory. And the nodes that a program names for a
// private heap.
#pragma once

#include "heap/policy.h"

namespace homenode::heap {

/// The nodes that have memory, as the system lists them; none where it knows of no nodes.
system::NodeMask nodes_with_memory();
/// The node of a CPU: of the one that the caller runs on without reading anything. 0 when the
/// system does not say.
unsigned node_of_cpu(unsigned cpu);
/// Whether there is such a CPU, as the system lists them.
bool is_present(unsigned cpu);
/// The node itself, or where it has no memory for this process, the nearest one that has.
unsigned nearest_node(unsigned node, const system::NodeMask& with_memory);

/// Reads a list such as "0-2,5", or "cpu:5", which is the node of that CPU or the nearest one with
/// memory; without a text, those that the policy wants of a caller who runs here. False when the
/// text makes no sense, or when the process may not have memory of a node.
bool choose_nodes(const char* text, Policy policy, system::NodeMask& nodes);

/// Calls visit(id) for each id of a list such as "0-3,8", as the kernel writes them.
template <class Visit>
void read_list(const char* text, long size, Visit visit) {
  unsigned first = 0;
  unsigned value = 0;
  bool in_range = false;
  bool any = false;
  for (long i = 0; i <= size; ++i) {
    const char c = i < size ? text[i] : '\n';
    if (c >= '0' && c <= '9') {
      value = value * 10 + static_cast<unsigned>(c - '0');
      any = true;
    } else if (c == '-') {
      first = value;
      value = 0;
      in_range = true;
    } else {
      if (any) {
        for (unsigned id = in_range ? first : value; id <= value; ++id) visit(id);
      }
      value = 0;
      in_range = any = false;
    }
  }
}

}  // namespace homenode::heap
