// The same placement as the command of another tool. Pure; serves `run --emit`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/plan.h"
#include "machine/machine.h"

namespace homenode::launch {

struct Emitted {
  std::string command;               ///< One line for a shell.
  std::vector<std::string> missing;  ///< What the tool cannot express, one phrase each.
};

/// `tool` is numactl, omp (OpenMP's variables), slurm (srun) or likwid (likwid-pin). Errors:
/// bad_usage for another.
Result<Emitted> emit(const std::string& tool, const RunPlan& plan, const machine::Machine& machine);

/// True where the tool's command can give each rank of a host another placement, so that the plan
/// should be for all of them (RunRequest::all_ranks).
bool emits_all_ranks(const std::string& tool);

/// An argument quoted for a shell.
std::string shell_word(const std::string& word);

}  // namespace homenode::launch
