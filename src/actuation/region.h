// Regions: putting a policy or a page map on an address range, without splitting its mapping.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/os.h"
#include "placement/distributions/distribution.h"
#include "placement/policies/policy.h"

namespace homenode::actuation {

/// An address range of this process. pre: page aligned address.
struct Region {
  void* address = nullptr;
  std::size_t bytes = 0;
};

/// How many pages the region has; a part of a page counts as one.
std::size_t page_count(os::Os& os, Region region);

/// Where the time went; all 0 where no clock was given, and modelled where the clock is the lab's.
struct PhaseTimes {
  Nanoseconds populate;  ///< Faulting absent pages in.
  Nanoseconds audit;     ///< Asking where the pages are.
  Nanoseconds move;      ///< Moving those that were elsewhere.
};

/// What the kernel really did, page by page. pages == as_planned + refused.
struct Receipt {
  std::size_t pages = 0;
  std::size_t as_planned = 0;   ///< Pages found on the node that the plan names.
  std::size_t moved = 0;        ///< Of these, pages that were present elsewhere and were moved.
  std::size_t refused = 0;      ///< Pages that are elsewhere or on no node.
  std::vector<Error> refusals;  ///< Why, one for each node and reason.
  std::size_t bytes_moved = 0;  ///< Of the pages that were moved.
  PhaseTimes times = {};
};

/// Sets the kernel's policy for pages of the region that are not yet present (mbind). Nodes that
/// the cpuset does not allow are left out by the kernel unless none remains.
/// A home node that is refused leaves the policy in force without it.
/// Errors: each refusal of the kernel (EPERM, ENOSYS, EINVAL, ENOMEM, EIO) with what to do.
Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy);

/// Places every page as `map` says and leaves it present and writable, zero or as it was.
///
/// One policy call per node (preferred, so that a full node never costs the process its life), then
/// that node's absent pages are faulted in: no mapping is split. Pages that are present elsewhere
/// are moved in batches. The calling thread's own policy is restored on every path. Where pages
/// really are is verified with move_pages; the receipt says so, partial success included.
///
/// Where the map changes node inside a 2 MiB unit, huge pages are forbidden for the whole region
/// (MADV_NOHUGEPAGE) and stay so, because one huge page, made at the first touch or by khugepaged
/// later, would swallow the pages of the other nodes; huge pages that are present are split. When
/// the region is a part of a larger mapping, that flag alone sets it apart: two mappings more at
/// most, however many pages there are.
///
/// System calls: get_mempolicy, set_mempolicy, madvise, move_pages. Memory beside the map: 8 bytes
/// a page and 16 a run. pre: page-aligned private memory that may be written. Errors: bad_usage
/// when the map does not have one entry per page; failed or not_supported when nothing could be
/// placed, when the result cannot be verified, or when the thread's policy could not be restored.
Result<Receipt> place_pages(os::Os& os, Region region, const placement::PageMap& map,
                            os::Clock* clock = nullptr);

/// Sets the policy as set_region_policy() does, and moves the pages that are present already to
/// where it would have put them: with the interleave policies each page to the node that the kernel
/// gives its address, with bind and preferred those that are on other nodes, with local all of them
/// to the caller's node, with default none. The receipt counts the pages that are present; absent
/// ones stay absent.
///
/// A page that another process shares stays, and so does a huge page of which another node's turn
/// would be a part: it counts as one page of 2 MiB in turn. System calls: mbind,
/// set_mempolicy_home_node, move_pages. pre and Errors: as set_region_policy(); and when the pages
/// cannot be asked for their nodes.
Result<Receipt> move_to_policy(os::Os& os, Region region, const placement::Policy& policy,
                               os::Clock* clock = nullptr);

}  // namespace homenode::actuation
