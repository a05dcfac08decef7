// Regions: putting a policy or a page map on an address range, without splitting its mapping.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "os/os.h"
#include "placement/distribution.h"
#include "placement/policy.h"

namespace homenode::actuation {

/// An address range of this process. pre: page aligned address.
struct Region {
  void* address = nullptr;
  std::size_t bytes = 0;
};

/// What the kernel really did, page by page.
struct Receipt {
  std::size_t pages = 0;
  std::size_t as_planned = 0;  ///< Pages found on the node that the plan names.
  std::size_t moved = 0;       ///< Pages that were present elsewhere and were moved.
  std::size_t refused = 0;     ///< Pages that could not be placed; the audit has the reasons.
};

/// Sets the kernel's policy for pages of the region that are not yet present (mbind).
/// Errors: each refusal of the kernel (EPERM, ENOSYS, EINVAL, ENOMEM, EIO) with what to do.
Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy);

/// Places every page as `map` says and leaves it present, writable and zero or as it was: one
/// policy call per node and then a touch of that node's absent pages, so that no mapping is split;
/// pages that are present elsewhere are moved in batches. The calling thread's own policy is
/// restored. Verified with move_pages. pre: map has one entry per page of the region.
Result<Receipt> place_pages(os::Os& os, Region region, const placement::PageMap& map);

}  // namespace homenode::actuation
