#include "placement/placement.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace homenode::placement {
namespace {

bool threads_are_valid(const ThreadMap& threads) {
  return !threads.cpus_by_rank.empty() &&
         std::none_of(threads.cpus_by_rank.begin(), threads.cpus_by_rank.end(),
                      [](const CpuSet& cpus) { return cpus.empty(); });
}

bool regions_are_valid(const std::vector<RegionPlacement>& regions) {
  std::set<std::string_view> names;
  return std::all_of(regions.begin(), regions.end(), [&](const RegionPlacement& region) {
    const auto* const policy = std::get_if<Policy>(&region.memory);
    return !region.region.empty() && names.insert(region.region).second &&
           (policy == nullptr || validate(*policy));
  });
}

}  // namespace

bool is_valid(const Placement& placement) {
  const auto& [process_cpus, threads, process_memory, regions] = placement;
  return (!process_cpus || !process_cpus->empty()) && (!threads || threads_are_valid(*threads)) &&
         (!process_memory || (validate(*process_memory) && !process_memory->home_node)) &&
         regions_are_valid(regions);
}

}  // namespace homenode::placement
