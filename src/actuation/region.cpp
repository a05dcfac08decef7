#include "actuation/region.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>

#include "actuation/kernel_policy.h"
#include "actuation/refusal.h"

namespace homenode::actuation {

std::size_t page_count(os::Os& os, Region region) {
  const std::size_t page = os.page_bytes();
  return region.bytes / page + (region.bytes % page != 0 ? 1 : 0);
}

Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy) {
  assert(reinterpret_cast<std::uintptr_t>(region.address) % os.page_bytes() == 0);
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  if (region.bytes == 0) return {};
  const int result = os.mbind(region.address, region.bytes, kernel_mode(policy), policy.nodes, 0);
  if (result < 0) {
    return refusal(os,
                   {.call = Call::mbind,
                    .tried = fmt::format("cannot set the memory policy {} on {} bytes at {}",
                                         describe(policy), region.bytes, region.address),
                    .nodes = policy.nodes,
                    .kernel_needed = kernel_needed(policy)},
                   result);
  }
  return {};
}

}  // namespace homenode::actuation
