// homenode bench stress: the study's comparison, the same test once for each mode.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"
#include "os/os.h"
#include "trial/stress/plan.h"
#include "trial/stress/run.h"

namespace homenode::trial {

/// "plain,numad,membind,kernel,balance", in any order. Errors: bad_usage for an unknown one, one
/// twice, and for membind without nodes to bind to.
Result<std::vector<StressMode>> parse_modes(const StressOptions& options);

/// Runs the plan in the mode of its options, with daemons switched as the mode has it and put back
/// after it. pre: the caller has one thread.
/// Errors: those of StressDaemons::start(), run_stress() and set_process_policy().
Result<StressReport> run_mode(os::Os& os, const machine::Machine& machine, const StressPlan& plan);

/// Runs the plan in each mode, one after the other; ends with the first that fails.
/// Errors: those of run_mode().
Result<std::vector<StressReport>> run_modes(os::Os& os, const machine::Machine& machine,
                                            const StressPlan& plan,
                                            const std::vector<StressMode>& modes);

}  // namespace homenode::trial
