// The groups of CPUs that thread expressions name: cores, last-level caches, nodes, packages, and
// the order of CPUs within them. Only what the cpuset allows. Pure; serves expression_likwid.cpp
// and expression_places.cpp.
#pragma once

#include <vector>

#include "machine/machine.h"

namespace homenode::placement {

/// Package by package, then by the lowest CPU of each core. A machine file says which CPUs share a
/// core through their first-level cache; a CPU without one is a core of its own.
std::vector<CpuSet> cores_of(const machine::Machine& machine);

/// For each CPU the largest cache that it shares, in the order of cores_of(). Empty where no cache
/// is known.
std::vector<CpuSet> last_level_caches_of(const machine::Machine& machine);

/// In the order of their numbers; without packages, one of all CPUs. Those without an allowed CPU
/// are kept, empty, because expressions count them.
std::vector<CpuSet> packages_of(const machine::Machine& machine);

/// The CPUs of a set, core by core: hardware threads of one core stand together.
std::vector<CpuId> core_by_core(const machine::Machine& machine, const CpuSet& cpus);

/// The CPUs of a set: the first hardware thread of each core, then the second ones, and so on.
std::vector<CpuId> cores_first(const machine::Machine& machine, const CpuSet& cpus);

}  // namespace homenode::placement
