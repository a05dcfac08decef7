#include "measure/working_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace homenode::measure {
namespace {

constexpr std::uint64_t arrays_per_node = 2;

Bytes whole_units(std::uint64_t bytes) {
  return {bytes / array_unit.value * array_unit.value};
}

/// Of the node whose CPUs have most; 0 when unknown.
Bytes largest_caches(const machine::Machine& machine, const Plan& plan) {
  Bytes caches;
  for (const auto& [node, cpus] : plan.cpus_of) {
    caches = std::max(caches, last_level_caches(machine, cpus));
  }
  return caches;
}

Bytes beyond(Bytes caches) {
  if (caches.value == 0) caches = assumed_caches;
  return whole_units(cache_factor * caches.value + array_unit.value - 1);
}

Bytes wanted_size(const Plan& plan, Bytes caches) {
  if (!plan.request.size) return beyond(caches);
  return {std::max(whole_units(plan.request.size->value + array_unit.value - 1).value,
                   array_unit.value)};
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
  const Bytes caches = largest_caches(machine, plan);
  set.wanted = wanted_size(plan, caches);
  if (set.wanted <= caches) {
    plan.notes.push_back(
        fmt::format("arrays of {} MiB fit into the {} MiB of last-level caches that the CPUs of a "
                    "node have: these are figures of caches, not of memory; without --size, "
                    "arrays have {} MiB",
                    set.wanted.value >> 20U, caches.value >> 20U, beyond(caches).value >> 20U));
  }
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
