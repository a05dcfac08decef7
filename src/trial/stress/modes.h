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

enum class StressMode {
  plain,    ///< Nobody moves anything.
  numad,    ///< numad does.
  membind,  ///< All memory is bound to some nodes; nobody moves anything.
  kernel,   ///< The kernel's balancing does.
};

std::string to_string(StressMode mode);

/// "plain,numad,membind,kernel", in any order. Errors: bad_usage for an unknown one, one twice, and
/// for membind without nodes to bind to.
Result<std::vector<StressMode>> parse_modes(const StressOptions& options);

struct ModeReport {
  StressMode mode = StressMode::plain;
  StressReport report;
};

/// Runs the plan in each mode, with daemons switched as the mode has it and put back after it.
/// Errors: those of StressDaemons::start(), run_stress() and set_process_policy().
Result<std::vector<ModeReport>> run_modes(os::Os& os, const machine::Machine& machine,
                                          const StressPlan& plan,
                                          const std::vector<StressMode>& modes);

}  // namespace homenode::trial
