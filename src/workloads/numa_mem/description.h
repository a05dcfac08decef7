// The memory test of perf: what `bench numa-mem` says of itself.
#pragma once

#include "workloads/program/description.h"

namespace homenode::workloads::numa_mem {

/// Longest time that an option may ask for, in seconds.
inline constexpr double longest_s = 7.0 * 24 * 3600;
/// Most memory of each kind, in MiB.
inline constexpr double most_mb = 1e9;

/// Its parameters are those of `perf bench numa mem`, by their long names.
Description describe();

}  // namespace homenode::workloads::numa_mem
