// homenode bench map: the pages of the workload's memory.
#pragma once

#include "actuation/region.h"
#include "base/result.h"
#include "cli/bench_map_plan.h"
#include "os/os.h"

namespace homenode::cli {

/// Asks for small or huge pages. Errors: not_supported when this kernel has no huge pages.
Result<void> choose_pages(os::Os& os, actuation::Region region, PageKind pages);

}  // namespace homenode::cli
