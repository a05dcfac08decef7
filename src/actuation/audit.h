// Where the pages of a region really are, by the query form of move_pages, in batches. Policy is
// not placement: this is how every placement is verified.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actuation/region.h"

namespace homenode::actuation {

/// Why a page has no node: not present, shared zero page, busy, …
enum class PageReason { not_present, zero_page, shared, busy, unmapped, other };

struct Audit {
  /// node_of_page[i] is empty when the page is on no node; then reasons counts why.
  std::vector<std::optional<NodeId>> node_of_page;
  std::map<NodeId, std::size_t> pages_on_node;
  std::map<PageReason, std::size_t> reasons;
};

/// pid 0 is this process. Never faults a page in. Errors: EPERM, ESRCH, ENOSYS with what to do.
Result<Audit> audit(os::Os& os, Region region, pid_t pid = 0);

/// "not present", "busy", …: the reasons' names in text and JSON.
std::string to_string(PageReason reason);

}  // namespace homenode::actuation
