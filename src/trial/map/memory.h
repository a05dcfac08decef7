// homenode bench map: the pages of the workload's memory, before the first phase and between
// phases.
#pragma once

#include <optional>

#include "actuation/aligned_memory.h"
#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"
#include "trial/map/plan.h"
#include "trial/map/run.h"
#include "trial/memory.h"

namespace homenode::trial {

/// Maps the first phase's memory, places it and touches it from the calling thread. Errors: what
/// choose_pages() and actuation say.
Result<void> first_memory(os::Os& os, const MapPlan& plan,
                          std::optional<actuation::AlignedMemory>& memory, PhaseReport& report);

/// What the method does before the phase `at`: nothing (default, command-line), pages moved to
/// where that phase wants them (api), or the array copied to a layout of its own (rewrite), timed.
/// pre: at > 0; memory holds the phase before. Errors: as first_memory().
Result<void> change_memory(os::Os& os, const MapPlan& plan, std::size_t at,
                           std::optional<actuation::AlignedMemory>& memory, PhaseReport& report);

}  // namespace homenode::trial
