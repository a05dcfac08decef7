#include "placement/threads/domains.h"

#include <algorithm>
#include <map>

namespace homenode::placement {
namespace {

CpuId lowest(const CpuSet& cpus) {
  return cpus.to_vector().front();
}

/// Which cache of the wanted kind a CPU is in: its whole set, allowed or not.
using CacheOf = std::map<CpuId, const machine::Cache*>;

/// `better(candidate, present)` chooses among the caches of one CPU.
template <class Better>
CacheOf choose_caches(const machine::Machine& machine, Better better) {
  CacheOf chosen;
  for (const machine::Cache& cache : machine.caches) {
    for (CpuId cpu : cache.cpus.to_vector()) {
      const machine::Cache*& present = chosen[cpu];
      if (present == nullptr || better(cache, *present)) present = &cache;
    }
  }
  return chosen;
}

std::size_t package_index(const machine::Machine& machine, CpuId cpu) {
  for (std::size_t i = 0; i < machine.packages.size(); ++i) {
    if (machine.packages[i].cpus.contains(cpu)) return i;
  }
  return machine.packages.size();
}

}  // namespace

std::vector<CpuSet> cores_of(const machine::Machine& machine) {
  const CacheOf first_level =
      choose_caches(machine, [](const machine::Cache& candidate, const machine::Cache& present) {
        return candidate.level < present.level;
      });
  std::vector<CpuSet> cores;
  CpuSet rest = machine.allowed_cpus;
  for (CpuId cpu : machine.allowed_cpus.to_vector()) {
    if (!rest.contains(cpu)) continue;
    const auto cache = first_level.find(cpu);
    const bool known = cache != first_level.end() && cache->second->level == 1;
    cores.push_back(known ? cache->second->cpus & rest : CpuSet{cpu});
    rest = rest - cores.back();
  }
  std::stable_sort(cores.begin(), cores.end(), [&machine](const CpuSet& a, const CpuSet& b) {
    return package_index(machine, lowest(a)) < package_index(machine, lowest(b));
  });
  return cores;
}

std::vector<CpuSet> last_level_caches_of(const machine::Machine& machine) {
  const CacheOf last_level =
      choose_caches(machine, [](const machine::Cache& candidate, const machine::Cache& present) {
        return candidate.level > present.level;
      });
  std::vector<CpuSet> groups;
  CpuSet done;
  for (const CpuSet& core : cores_of(machine)) {
    const auto cache = last_level.find(lowest(core));
    if (cache == last_level.end() || done.contains(lowest(core))) continue;
    groups.push_back(cache->second->cpus & machine.allowed_cpus);
    done = done | groups.back();
  }
  return groups;
}

std::vector<CpuSet> packages_of(const machine::Machine& machine) {
  std::vector<CpuSet> packages;
  packages.reserve(machine.packages.size());
  for (const machine::Package& package : machine.packages) {
    packages.push_back(package.cpus & machine.allowed_cpus);
  }
  if (packages.empty()) packages.push_back(machine.allowed_cpus);
  return packages;
}

std::vector<CpuId> core_by_core(const machine::Machine& machine, const CpuSet& cpus) {
  std::vector<CpuId> order;
  for (const CpuSet& core : cores_of(machine)) {
    const std::vector<CpuId> members = (core & cpus).to_vector();
    order.insert(order.end(), members.begin(), members.end());
  }
  return order;
}

std::vector<CpuId> cores_first(const machine::Machine& machine, const CpuSet& cpus) {
  std::vector<CpuId> order;
  const std::vector<CpuSet> cores = cores_of(machine);
  for (std::size_t turn = 0; order.size() < (cpus & machine.allowed_cpus).size(); ++turn) {
    for (const CpuSet& core : cores) {
      const std::vector<CpuId> threads = core.to_vector();
      if (turn < threads.size() && cpus.contains(threads[turn])) order.push_back(threads[turn]);
    }
  }
  return order;
}

}  // namespace homenode::placement
