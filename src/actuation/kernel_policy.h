// How the kernel writes a policy down. Serves process.cpp and region.cpp.
#pragma once

#include <string>

#include "placement/policy.h"

namespace homenode::actuation {

/// MPOL_* with flags, as set_mempolicy(2) and mbind(2) take it.
int kernel_mode(const placement::Policy& policy);

/// The first kernel that knows the policy, or "" when all that are in use do.
std::string kernel_needed(const placement::Policy& policy);

/// "interleave on the nodes 0-3", for messages.
std::string describe(const placement::Policy& policy);

}  // namespace homenode::actuation
