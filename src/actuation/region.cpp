#include "actuation/region.h"

#include "actuation/process.h"

namespace homenode::actuation {

std::size_t page_count(os::Os& os, Region region) {
  const std::size_t page = os.page_bytes();
  return region.bytes / page + (region.bytes % page != 0 ? 1 : 0);
}

Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy) {
  return bind_region(os, region, policy, 0);
}

}  // namespace homenode::actuation
