// homenode bench map: what is going to run where, decided before anything is allocated. Pure.
#pragma once

#include <variant>
#include <vector>

#include "cli/bench_map_options.h"
#include "machine/machine.h"
#include "placement/distribution.h"
#include "placement/policy.h"
#include "workloads/map/layout.h"

namespace homenode::cli {

/// What the kernel says of its memory.
struct MemoryFacts {
  std::size_t page_bytes = 4096;
  std::size_t huge_page_bytes = std::size_t{2} << 20;
  std::optional<Bytes> available;  ///< What can be allocated now; absent when not known.
};

struct MapPlan {
  MapOptions options;
  workloads::map::Layout layout;
  unsigned threads = 1;
  std::vector<CpuSet> cpus_of_thread;  ///< By rank; empty when the threads are not bound.
  std::vector<NodeId> node_of_thread;  ///< By rank; empty when the threads are not bound.
  /// walks[rank]: what the thread uses in one pass, in positions from the start of the memory.
  std::vector<std::vector<workloads::map::Span>> walks;
  std::size_t page_bytes = 4096;
  std::size_t alignment = 4096;  ///< Of the memory's start and end: a page, or a huge page.
  Bytes bytes;                   ///< A multiple of the alignment.
  /// How the memory is placed before the main thread touches it; nothing for the default method.
  std::variant<std::monostate, placement::Policy, placement::PageMap> memory;
};

/// Errors: bad_usage for what check() names, more elements than memory, unknown CPUs in --bind;
/// not_supported when no allowed node has memory.
Result<MapPlan> plan_map(const machine::Machine& machine, const MapOptions& options,
                         const MemoryFacts& facts);

/// The allowed node with memory that is nearest to `node`: itself if it has memory, else the first
/// of those at the least distance. pre: some allowed node has memory.
NodeId memory_node(const machine::Machine& machine, NodeId node);

}  // namespace homenode::cli
