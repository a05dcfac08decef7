// From options to a printed report, the same for every program under a strategy.
#pragma once

#include "cli/program_options.h"
#include "cli/program_render.h"
#include "cli/verb.h"

namespace homenode::cli {

/// Checks, runs in turn with the peers, prints and writes the report; then says if a run was not
/// verified. Errors: those of check_setup(), run_program(), run_peer() and check_verified().
Result<void> bench_program(Context& context, const machine::Machine& machine,
                           workloads::Program& program, const ProgramTitle& title,
                           const ProgramOptions& options);

}  // namespace homenode::cli
