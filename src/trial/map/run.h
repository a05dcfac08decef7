// homenode bench map: one run of a plan, and what is known after it.
#pragma once

#include <optional>
#include <vector>

#include "access/access_matrix.h"
#include "access/expected.h"
#include "actuation/audit.h"
#include "actuation/region.h"
#include "machine/machine.h"
#include "os/os.h"
#include "trial/map/plan.h"

namespace homenode::trial {

struct ThreadRecord {
  std::optional<CpuId> cpu;    ///< Where it is bound; else where it was when it had finished.
  std::optional<NodeId> node;  ///< The CPU's node.
  std::size_t elements = 0;    ///< Used in one pass of each phase.
};

/// Who used what, from pattern and audit, beside what the pattern allows.
struct AccessReport {
  access::ThreadMatrix by_thread;
  access::NodeMatrix by_node;
  std::uint64_t accesses_without_node = 0;  ///< To pages that were on no node.
  access::ElementMatrix expected;           ///< Of one pass; of all phases' passes together.
  std::optional<access::Penalty> penalty;   ///< Absent where the machine declares no distances.
};

/// What the method did before a phase other than the first.
struct Change {
  bool laid_out_anew = false;  ///< Else the pages were placed anew where they are.
  double seconds = 0.0;        ///< The clock of the host.
  std::size_t pages = 0;       ///< That were moved, or copied to.
};

/// One pattern's passes.
struct PhaseReport {
  double seconds = 0.0;              ///< All passes, the clock of the host that ran them.
  std::optional<double> modelled_s;  ///< The same by the lab's model; absent outside it.
  std::optional<Change> change;
  std::optional<actuation::Receipt> receipt;  ///< Where a page map was applied.
  std::optional<Bytes> huge_bytes;            ///< In transparent huge pages; absent when not known.
  std::optional<actuation::Audit> audit;      ///< Absent when the kernel refused it.
  std::optional<AccessReport> access;         ///< Absent too where a thread's node is not known.
};

struct MapReport {
  MapPlan plan;
  double seconds = 0.0;              ///< All phases' passes.
  std::optional<double> modelled_s;  ///< As in the phases; absent where one of them has none.
  std::vector<ThreadRecord> threads;
  std::vector<PhaseReport> phases;     ///< As in the plan.
  std::optional<Error> audit_error;    ///< Says why where a phase has no audit,
  std::optional<AccessReport> access;  ///< and then there is no matrix of all phases either.
};

/// Allocates, places, initialises, runs and audits; between phases the method acts again. The
/// caller is rank 0; its CPUs are as before afterwards. Errors: failed when memory, threads or
/// binding are refused; what actuation says of a refused policy or page map.
Result<MapReport> run_map(os::Os& os, const machine::Machine& machine, const MapPlan& plan);

}  // namespace homenode::trial
