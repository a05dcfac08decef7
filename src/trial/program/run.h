// Running a program of src/workloads under a strategy: its arrays placed, its threads bound, every
// run checked and its pages audited. Serves all workloads that compute something.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actuation/audit.h"
#include "actuation/region.h"
#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"
#include "trial/program/setup.h"
#include "workloads/program/program.h"

namespace homenode::trial {

/// Where an array's pages were after a run.
struct ArrayAudit {
  std::optional<actuation::Audit> audit;  ///< Absent when the kernel refused it;
  std::optional<Error> error;             ///< then this says why.
  std::size_t astray = 0;                 ///< Pages that are on other nodes than placed on.
};

struct ProgramRun {
  workloads::ProgramOutcome outcome;
  bool modelled = false;           ///< Its time is the lab's, not the host's.
  double cpu_seconds = 0.0;        ///< Of all threads, initialisation and checks included.
  std::vector<ArrayAudit> arrays;  ///< As ProgramReport::arrays.
};

struct PlacedArray {
  workloads::ArrayNeed need;
  std::optional<actuation::Receipt> receipt;  ///< Where a page map was applied.
};

struct ThreadPlace {
  CpuId cpu;  ///< Where it was after the runs.
  NodeId node;
};

struct ProgramReport {
  ProgramSetup setup;
  std::vector<PlacedArray> arrays;
  std::vector<ThreadPlace> threads;  ///< By rank; empty where the kernel does not say.
  std::vector<ProgramRun> runs;
};

/// Allocates, places, binds, and runs as often as asked, auditing after each run, until one is not
/// verified. `after_run` is told of each, first as number 0. CPUs and policies of all threads are
/// as before afterwards. pre: check_setup() passes. Errors: failed when memory, threads or binding
/// are refused; what actuation says of a refused policy or page map.
Result<ProgramReport> run_program(os::Os& os, const machine::Machine& machine,
                                  workloads::Program& program, const ProgramSetup& setup,
                                  const std::function<void(unsigned)>& after_run = {});

/// Gives a run the time that the lab's clock has for its timed part, where it runs in the lab and
/// is counted; figures that hang on the host's clock are left out then.
void take_modelled_time(ProgramRun& run);

/// Says which check failed by how much, where the last run was not verified. Errors: failed.
Result<void> check_verified(const ProgramReport& report, const std::string& name);

}  // namespace homenode::trial
