// The nodes that a program names for a heap in hand. Serves heap.h.
#pragma once

#include "heap/policy.h"
#include "heap/system.h"

namespace homenode::heap {

/// Reads a list such as "0-2,5", or "cpu:5", which is the node of that CPU or the nearest one with
/// memory; without a text, those that the policy wants of a caller who runs here. False when the
/// text makes no sense, or when the process may not have memory of a node.
bool choose_nodes(const char* text, Policy policy, system::NodeMask& nodes);

}  // namespace homenode::heap
