// Rules for large allocations: --place 'size>64M: cyclic'. Pure; serves run_threads.cpp.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/run_threads.h"
#include "machine/machine.h"
#include "placement/memory_rule.h"

namespace homenode::cli {

/// A memory rule all of whose nodes may be used here. Errors: bad_usage.
Result<placement::MemoryRule> parse_allowed_rule(const machine::Machine& machine,
                                                 std::string_view text);

/// CONDITION: RULE with the condition size>BYTES or size>=BYTES, where K, M, G and T stand for
/// powers of 1024. Errors: bad_usage for what cannot be read; not_supported for rules that the
/// agent cannot carry out: those whose map is not one pattern again and again (random, map),
/// next-touch, and home nodes.
Result<AllocationRule> parse_allocation_rule(const machine::Machine& machine,
                                             std::string_view text);

}  // namespace homenode::cli
