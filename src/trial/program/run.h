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
#include "base/units.h"
#include "machine/machine.h"
#include "os/os.h"
#include "placement/strategies/strategy.h"
#include "workloads/program/program.h"

namespace homenode::trial {

struct ProgramSetup {
  unsigned threads = 1;
  std::string strategy = "none";  ///< Of strategy_table.h; none: nothing is placed or bound.
  unsigned runs = 1;
};

/// Where an array's pages were after a run.
struct ArrayAudit {
  std::optional<actuation::Audit> audit;  ///< Absent when the kernel refused it;
  std::optional<Error> error;             ///< then this says why.
  std::size_t astray = 0;                 ///< Pages that are on other nodes than placed on.
};

struct ProgramRun {
  workloads::ProgramOutcome outcome;
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

/// The sum of what a program needs.
Bytes footprint(const workloads::Program& program);

/// Where the strategy puts a program: all threads share each array in equal parts. Empty without a
/// strategy. Errors: as placement::place_by_strategy().
Result<placement::Placement> place_program(const machine::Machine& machine,
                                           const workloads::Program& program,
                                           const ProgramSetup& setup, std::size_t page_bytes);

/// Errors: bad_usage listing the names that exist, "none" among them.
Result<void> check_strategy(const std::string& name);

/// What is wrong with the number of threads and runs on this machine. Errors: bad_usage.
Result<void> check_threads_of(const machine::Machine& machine, const ProgramSetup& setup);

/// What is wrong before anything is allocated: threads that this machine cannot run, a strategy
/// that does not exist, more memory than there is (`available`, where it is known), or than the
/// nodes have that the strategy binds it to. Errors: bad_usage; failed for memory.
Result<void> check_setup(const machine::Machine& machine, const workloads::Program& program,
                         const ProgramSetup& setup, std::optional<Bytes> available);

/// Allocates, places, binds, and runs as often as asked, auditing after each run, until one is not
/// verified. `after_run` is told of each, first as number 0. CPUs and policies of all threads are
/// as before afterwards. pre: check_setup() passes. Errors: failed when memory, threads or binding
/// are refused; what actuation says of a refused policy or page map.
Result<ProgramReport> run_program(os::Os& os, const machine::Machine& machine,
                                  workloads::Program& program, const ProgramSetup& setup,
                                  const std::function<void(unsigned)>& after_run = {});

/// Says which check failed by how much, where the last run was not verified. Errors: failed.
Result<void> check_verified(const ProgramReport& report, const std::string& name);

}  // namespace homenode::trial
