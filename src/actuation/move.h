// Moving pages that are present on another node than planned. The second half of region.cpp.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "actuation/audit.h"
#include "actuation/region.h"

namespace homenode::actuation {

/// Moves every page of the region that `audit` shows on another node than `map` names, and brings
/// `audit` up to date with where those pages then are. Gives what the kernel refused for good, one
/// Error for each node and reason. Errors: the query that verifies the moves is refused.
Result<std::vector<Error>> move_misplaced(os::Os& os, Region region, const placement::PageMap& map,
                                          Audit& audit);

/// Asks the kernel to move these pages of any process to a node, all in one call, and leaves those
/// that other processes share (MPOL_MF_MOVE). Where they are then is for the caller to ask. Gives 0
/// or how many stay, or -errno.
int move_batch(os::Os& os, pid_t pid, std::span<void* const> pages, NodeId target);

}  // namespace homenode::actuation
