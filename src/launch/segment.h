// numactl's other mode: the memory policy of a shared memory segment or a file instead of a
// program's. What its options ask for, in their order. Pure; serves the verb `run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actuation/shared_memory.h"
#include "base/result.h"
#include "launch/settings.h"

namespace homenode::launch {

/// Takes the options of this mode out of `settings` and leaves the memory policy, --all and
/// --balancing. Nothing where neither --shm nor --file is given. As in numactl the order counts:
/// what says which memory stands before --shm or --file, what is done with it behind. Errors:
/// bad_usage for what breaks that, cannot be read, is given twice or is for a program.
Result<std::optional<actuation::SegmentRequest>> take_segment(std::vector<RunSetting>& settings);

}  // namespace homenode::launch
