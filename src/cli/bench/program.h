// From options to a printed report, the same for every program under a strategy.
#pragma once

#include <functional>

#include "cli/bench/program_options.h"
#include "cli/bench/program_render.h"
#include "cli/verb.h"

namespace homenode::cli {

/// Checks, runs in turn with the peers, prints and writes the report; then says if a run was not
/// verified. Errors: those of check_setup(), run_program(), run_peer() and check_verified().
Result<void> bench_program(Context& context, const machine::Machine& machine,
                           workloads::Program& program, const ProgramTitle& title,
                           const ProgramOptions& options);

/// What runs the program as often as asked and calls `after_run` after each run.
using ProgramRunner =
    std::function<Result<trial::ProgramReport>(const std::function<void(unsigned)>& after_run)>;

/// The same for a program that something else than run_program() runs.
Result<void> bench_program_by(Context& context, const machine::Machine& machine,
                              const workloads::Program& program, const ProgramTitle& title,
                              const ProgramOptions& options, const ProgramRunner& runner);

}  // namespace homenode::cli
