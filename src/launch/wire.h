// How a placement is written for the agent (agent/wire.h). Serves run_threads.cpp and
// run_allocations.cpp.
#pragma once

#include <string>

#include "placement/policies/policy.h"

namespace homenode::launch {

/// MODE[@NODES]. pre: no home node.
std::string wire_policy(const placement::Policy& policy);

}  // namespace homenode::launch
