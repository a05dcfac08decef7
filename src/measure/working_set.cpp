#include "measure/working_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace homenode::measure {
namespace {

constexpr std::uint64_t arrays_per_node = 2;

Bytes whole_units(std::uint64_t bytes) {
  return {bytes / array_unit.value * array_unit.value};
}

Bytes wanted_size(const machine::Machine& machine, const Plan& plan) {
  if (plan.request.size) {
    return {std::max(whole_units(plan.request.size->value + array_unit.value - 1).value,
                     array_unit.value)};
  }
  Bytes caches;
  for (const auto& [node, cpus] : plan.cpus_of) {
    caches = std::max(caches, last_level_caches(machine, cpus));
  }
  if (caches.value == 0) caches = assumed_caches;
  return whole_units(cache_factor * caches.value + array_unit.value - 1);
}

}  // namespace

Bytes last_level_caches(const machine::Machine& machine, const CpuSet& cpus) {
  unsigned last = 0;
  for (const machine::Cache& cache : machine.caches) {
    if (!(cache.cpus & cpus).empty()) last = std::max(last, cache.level);
  }
  Bytes sum;
  for (const machine::Cache& cache : machine.caches) {
    if (cache.level == last && !(cache.cpus & cpus).empty()) sum.value += cache.size.value;
  }
  return sum;
}

Result<WorkingSet> choose_working_set(const machine::Machine& machine, Plan& plan,
                                      const std::map<NodeId, Bytes>& free, Bytes available) {
  WorkingSet set;
  set.wanted = wanted_size(machine, plan);
  const std::uint64_t fair = available.value / 2 / arrays_per_node / plan.targets.size();
  for (NodeId target : plan.targets) {
    const auto known = free.find(target);
    const Bytes has = known != free.end() ? known->second : machine.find(target)->memory;
    const Bytes most = whole_units(std::min(has.value / 2 / arrays_per_node, fair));
    if (most.value == 0) {
      return failed(fmt::format("node {} has no free memory to measure", target.value()),
                    "free memory on that node, or leave it out with --to");
    }
    if (plan.request.size && set.wanted > most) {
      return bad_usage(
          fmt::format("--size is {} MiB, but at most {} MiB of node {} may be used for "
                      "each of its two arrays",
                      set.wanted.value >> 20U, most.value >> 20U, target.value()),
          "give a smaller --size");
    }
    set.of_node[target] = std::min(set.wanted, most);
    if (most < set.wanted) {
      plan.notes.push_back(fmt::format(
          "node {} has memory for arrays of {} MiB only, less than the {} MiB that outgrow the "
          "caches",
          target.value(), most.value >> 20U, set.wanted.value >> 20U));
    }
  }
  return set;
}

}  // namespace homenode::measure
