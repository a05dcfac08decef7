// A placement: a thread map plus a policy or distribution for each region, or for all memory.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "placement/distributions/distribution.h"
#include "placement/policies/policy.h"
#include "placement/threads/map.h"

namespace homenode::placement {

struct RegionPlacement {
  std::string region;                    ///< The region's name in the program.
  std::variant<Policy, PageMap> memory;  ///< What the kernel does, or a map of our own.
};

struct Placement {
  std::optional<CpuSet> process_cpus;    ///< CPUs of the whole process.
  std::optional<ThreadMap> threads;      ///< CPUs per thread, by rank.
  std::optional<Policy> process_memory;  ///< Policy of all memory that has no other.
  std::vector<RegionPlacement> regions;
};

/// True when it can be carried out as it stands: the sets of CPUs that are given are not empty, nor
/// is the thread map; every policy passes validate(), that of the process without a home node; each
/// region has a name, and no other one the same. A page map may hold any nodes, of any number of
/// pages. Whoever makes or applies a placement asserts it.
[[nodiscard]] bool is_valid(const Placement& placement);

}  // namespace homenode::placement
