// Rules for large allocations and named data: --place 'size>64M: cyclic', 'name=u: block'. Pure;
// serves run_threads.cpp.
#pragma once

#include <string_view>

#include "base/result.h"
#include "launch/threads.h"
#include "machine/machine.h"
#include "placement/policies/memory_rule.h"

namespace homenode::launch {

/// A memory rule all of whose nodes may be used here. Errors: bad_usage.
Result<placement::MemoryRule> parse_allowed_rule(const machine::Machine& machine,
                                                 std::string_view text);

/// True when the rule is `weighted` without numbers: those of the machine, whose bandwidths the
/// quick machine does not know.
bool asks_for_machine_weights(std::string_view text);

/// CONDITION[, CONDITION]: RULE. Conditions are size>BYTES or size>=BYTES, where K, M, G and T
/// stand for powers of 1024; name=PATTERN for static data; from=PATTERN for the functions that
/// allocate. Names are looked up later (run_allocations_names.h). Errors: bad_usage for what cannot
/// be read; not_supported for next-touch, for patterns that the agent's text cannot hold, and for
/// weights of a machine that has no bandwidths.
Result<AllocationRule> parse_allocation_rule(const machine::Machine& machine,
                                             std::string_view text);

}  // namespace homenode::launch
