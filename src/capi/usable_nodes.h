// The nodes that a memory rule means when it names none. Serves the C interface's regions and
// threads, without reading the whole machine.
#pragma once

#include <string_view>

#include "base/id_set.h"
#include "base/result.h"
#include "os/os.h"
#include "placement/policies/memory_rule.h"

namespace homenode::capi {

/// The nodes with memory that this process may use now: /sys and /proc say so. A kernel without
/// NUMA has one. Errors: failed when they do not say so, because no node may be guessed.
Result<NodeSet> usable_nodes(os::Os& os);

/// Reads a memory rule. Errors: bad_usage for the text; those of usable_nodes() for a rule without
/// nodes.
Result<placement::MemoryRule> read_rule(os::Os& os, std::string_view text);

}  // namespace homenode::capi
