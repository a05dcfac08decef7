// How the kernel writes a policy down. Serves process.cpp, region.cpp and move_to_policy.cpp.
#pragma once

#include <string>

#include "actuation/region.h"
#include "placement/policies/policy.h"

namespace homenode::actuation {

/// MPOL_* with flags, as set_mempolicy(2) and mbind(2) take it.
int kernel_mode(const placement::Policy& policy);

/// The first kernel that knows the policy, or "" when all that are in use do.
std::string kernel_needed(const placement::Policy& policy);

/// "interleave on the nodes 0-3", for messages.
std::string describe(const placement::Policy& policy);

/// mbind with these MPOL_MF_* flags, then the home node. Errors: as set_region_policy().
Result<void> bind_region(os::Os& os, Region region, const placement::Policy& policy,
                         unsigned flags);

}  // namespace homenode::actuation
