// homenode bench map: what is going to run where, decided before anything is allocated. Pure.
#pragma once

#include <variant>
#include <vector>

#include "machine/machine.h"
#include "placement/distributions/distribution.h"
#include "placement/policies/policy.h"
#include "trial/map/options.h"
#include "trial/memory.h"
#include "workloads/map/layout.h"

namespace homenode::trial {

/// One pattern walked over the array.
struct PhasePlan {
  workloads::map::Layout layout;
  workloads::map::Order order = workloads::map::Order::sequential;
  /// walks[rank]: what the thread uses in one pass, in positions from the start of the memory.
  std::vector<std::vector<workloads::map::Span>> walks;
  Bytes bytes;  ///< A multiple of the alignment.
  /// How the memory is placed before the phase: the first one's before the main thread touches it;
  /// nothing for methods that leave it as it is.
  std::variant<std::monostate, placement::Policy, placement::PageMap> memory;
};

struct MapPlan {
  MapOptions options;
  unsigned threads = 1;
  std::vector<CpuSet> cpus_of_thread;  ///< By rank; empty when the threads are not bound.
  std::vector<NodeId> node_of_thread;  ///< By rank; empty when the threads are not bound.
  std::size_t page_bytes = 4096;
  std::size_t alignment = 4096;   ///< Of the memory's start and end: a page, or a huge page.
  std::vector<PhasePlan> phases;  ///< One, or those of multi-patterns. Never empty.
};

/// Errors: bad_usage for what check() names, more elements than memory, unknown CPUs in --bind;
/// not_supported when no allowed node has memory.
Result<MapPlan> plan_map(const machine::Machine& machine, const MapOptions& options,
                         const MemoryFacts& facts);

/// The memory that is nearest to each of these threads' nodes, each once, in increasing order. pre:
/// some allowed node has memory.
std::vector<NodeId> memory_of(const machine::Machine& machine,
                              const std::vector<NodeId>& node_of_thread);

}  // namespace homenode::trial
