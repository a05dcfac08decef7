// Carries out a plan of `run` on this process and starts the program. What a person has to know
// comes back as values. Serves the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/plan.h"
#include "os/os.h"
#include "placement/placement.h"

namespace homenode::launch {

/// What a person has to know, though nothing failed: one sentence each.
using Notes = std::vector<std::string>;

/// Binds the CPUs and sets the memory policy of this process. Notes where the kernel lacks
/// balancing, which is a wish, and nodes none of whose CPUs the cpuset leaves. Errors: each refusal
/// of the kernel.
Result<Notes> apply_to_process(os::Os& os, const machine::Machine& machine,
                               const placement::Placement& placement);

/// Puts what the agent reads into the environment. `executable` is the command's own file, beside
/// which the agent is looked for. Notes what works against it. Errors: not_supported for programs
/// that it cannot get into; failed where it is not installed.
Result<Notes> prepare_agent(os::Os& os, const RunPlan& plan, const std::string& executable);

/// Becomes the program; returns -errno when it cannot be started.
int start_program(os::Os& os, const std::vector<std::string>& program);

/// Why a program was not started, `result` being -errno.
Error not_started(const std::string& program, int result);

}  // namespace homenode::launch
