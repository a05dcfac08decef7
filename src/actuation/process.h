// The policy and the CPUs of the calling process or thread, and how the kernel writes a policy
// down.
#pragma once

#include <optional>
#include <string>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"
#include "placement/policies/policy.h"

namespace homenode::actuation {

/// Sets the calling thread's policy, inherited by what it starts (set_mempolicy).
/// Nodes that the cpuset does not allow are left out by the kernel unless none remains. Errors:
/// each refusal of the kernel with what to do.
Result<void> set_process_policy(os::Os& os, const placement::Policy& policy);

/// Binds a thread of this process to CPUs; `thread` 0 is the caller. Errors: as above.
Result<void> bind_thread(os::Os& os, pid_t thread, const CpuSet& cpus);

/// MPOL_* with flags, as set_mempolicy(2) and mbind(2) take it.
int kernel_mode(const placement::Policy& policy);

/// Of the mode that get_mempolicy(2) gives: its number without flags, the kind that has this
/// number, which a newer kernel's may have none of, and whether its flags ask for balancing.
int kernel_number(int mode);
std::optional<placement::PolicyKind> policy_kind_of(int mode);
bool has_balancing(int mode);

/// The first kernel that knows the policy, or "" when all that are in use do.
std::string kernel_needed(const placement::Policy& policy);

/// "interleave on the nodes 0-3", for messages.
std::string describe(const placement::Policy& policy);

/// mbind with these MPOL_MF_* flags, then the home node. Errors: as set_region_policy().
Result<void> bind_region(os::Os& os, Region region, const placement::Policy& policy,
                         unsigned flags);

}  // namespace homenode::actuation
