// homenode bench map: one run of a plan, and what is known after it.
#pragma once

#include <optional>
#include <vector>

#include "access/access_matrix.h"
#include "actuation/audit.h"
#include "actuation/region.h"
#include "cli/bench_map_plan.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::cli {

struct ThreadRecord {
  std::optional<CpuId> cpu;    ///< Where it is bound; else where it was when it had finished.
  std::optional<NodeId> node;  ///< The CPU's node.
  std::size_t elements = 0;    ///< Used in one pass.
};

/// Who used what, from pattern and audit.
struct AccessReport {
  access::ThreadMatrix by_thread;
  access::NodeMatrix by_node;
  std::uint64_t accesses_without_node = 0;  ///< To pages that were on no node.
};

struct MapReport {
  MapPlan plan;
  double seconds = 0.0;  ///< All passes, the clock of the host that ran them.
  std::vector<ThreadRecord> threads;
  std::optional<actuation::Receipt> receipt;  ///< Where a page map was applied.
  std::optional<Bytes> huge_bytes;            ///< In transparent huge pages; absent when not known.
  std::optional<actuation::Audit> audit;      ///< Absent when the kernel refused it;
  std::optional<Error> audit_error;           ///< then this says why,
  std::optional<AccessReport> access;         ///< and there is no matrix either.
};

/// What the kernel says of its memory now.
MemoryFacts memory_facts(os::Os& os);

/// Allocates, places, initialises, runs and audits. The caller is rank 0; its CPUs are as before
/// afterwards. Errors: failed when memory, threads or binding are refused; what actuation says of
/// a refused policy or page map.
Result<MapReport> run_map(os::Os& os, const machine::Machine& machine, const MapPlan& plan);

}  // namespace homenode::cli
