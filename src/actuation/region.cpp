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

Result<void> bind_region(os::Os& os, Region region, const placement::Policy& policy,
                         unsigned flags) {
  assert(reinterpret_cast<std::uintptr_t>(region.address) % os.page_bytes() == 0);
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  if (region.bytes == 0) return {};
  const std::string tried = fmt::format("cannot set the memory policy {} on {} bytes at {}",
                                        describe(policy), region.bytes, region.address);
  const int bound =
      os.mbind(region.address, region.bytes, kernel_mode(policy), policy.nodes, flags);
  if (bound < 0) {
    return refusal(os,
                   {.call = Call::mbind,
                    .tried = tried,
                    .nodes = policy.nodes,
                    .kernel_needed = kernel_needed(policy)},
                   bound);
  }
  if (!policy.home_node) return {};
  // Each mbind makes a policy without a home, so this comes after it, every time.
  const int at_home = os.set_home_node(region.address, region.bytes, *policy.home_node);
  if (at_home < 0) {
    return refusal(os,
                   {.call = Call::set_home_node,
                    .tried = tried + " (it is set, without its home)",
                    .nodes = NodeSet{*policy.home_node}},
                   at_home);
  }
  return {};
}

Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy) {
  return bind_region(os, region, policy, 0);
}

}  // namespace homenode::actuation
