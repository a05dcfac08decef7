// The policy and the CPUs of the calling process or thread.
#pragma once

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

}  // namespace homenode::actuation
