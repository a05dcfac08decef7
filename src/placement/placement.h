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

}  // namespace homenode::placement
