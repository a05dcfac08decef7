// Makes a plan of `run` true for this process and starts the program. Serves the verb `run`.
#pragma once

#include <string>

#include "cli/run/explain.h"
#include "cli/verb.h"

namespace homenode::cli {

/// Binds the CPUs and sets the memory policy of this process. Says on the error stream where the
/// kernel lacks balancing, which is a wish. Errors: each refusal of the kernel.
Result<void> apply_to_process(Context& context, const placement::Placement& placement);

/// Puts what the agent reads into the environment. Says on the error stream what works against it.
/// Errors: not_supported for programs that it cannot get into; failed where it is not installed.
Result<void> prepare_agent(Context& context, const launch::RunPlan& plan);

/// Becomes the program; returns the exit code when it cannot be started.
int start_program(Context& context, const std::vector<std::string>& program);

/// Says why a program was not started, -errno being `result`; returns the exit code that shells
/// have for it.
int not_started(Context& context, const std::string& program, int result);

}  // namespace homenode::cli
