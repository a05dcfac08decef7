// How a program is to run: threads, strategy, number of runs, and what is wrong with them before
// anything is allocated. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"
#include "placement/placement.h"
#include "placement/strategies/strategy.h"
#include "workloads/program/program.h"

namespace homenode::trial {

struct ProgramSetup {
  unsigned threads = 1;
  std::string strategy = "none";  ///< Of strategy_table.h; none: nothing is placed or bound.
  unsigned runs = 1;
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

}  // namespace homenode::trial
