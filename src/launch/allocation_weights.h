// The weights of a machine for `weighted` without numbers. Pure; serves run_allocations.cpp.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace homenode::launch {

/// "weighted[@NODES]" as "weighted:W,…@NODES", where each node has the weight that its bandwidth
/// asks for: that of the best source, reads before both directions, as `homenode measure` weighs
/// them. Errors: bad_usage for nodes that cannot be read; not_supported where the machine does not
/// tell the bandwidth of each of them.
Result<std::string> with_machine_weights(const machine::Machine& machine, std::string_view rule);

}  // namespace homenode::launch
