// homenode bench seismic --verify: the solver against closed forms, on a grid and on one twice as
// fine.
#pragma once

#include "cli/verb.h"
#include "trial/program/run.h"

namespace homenode::cli {

/// Prints one line a run. Errors: failed where a misfit is too large or falls too slowly; those of
/// check_setup() and run_program().
Result<void> verify_seismic(Context& context, const machine::Machine& machine,
                            const trial::ProgramSetup& setup, bool json);

}  // namespace homenode::cli
