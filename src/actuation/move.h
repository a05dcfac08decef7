// Moving pages that are present on another node than planned. The second half of region.cpp.
#pragma once

#include <vector>

#include "actuation/audit.h"
#include "actuation/region.h"

namespace homenode::actuation {

/// Moves every page of the region that `audit` shows on another node than `map` names, and brings
/// `audit` up to date with where those pages then are. Gives what the kernel refused for good, one
/// Error for each node and reason. Errors: the query that verifies the moves is refused.
Result<std::vector<Error>> move_misplaced(os::Os& os, Region region, const placement::PageMap& map,
                                          Audit& audit);

}  // namespace homenode::actuation
