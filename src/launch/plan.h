// From the options of `run` to what it will do: devices, ranks and names looked up, lists resolved,
// threads planned. Nothing is set. Serves the verb `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/ranks.h"
#include "launch/segment.h"
#include "launch/settings.h"
#include "launch/threads.h"
#include "os/os.h"
#include "placement/placement.h"

namespace homenode::launch {

/// What the command line asks for, read as far as that needs no machine.
struct RunRequest {
  std::vector<RunSetting> settings;
  ThreadRequest threads;
  std::optional<actuation::SegmentRequest> segment = {};  ///< Instead of a program.
  std::vector<std::string> program = {};                  ///< With its arguments.
  /// With --per-rank: plan for all ranks of a host instead of looking up which one this process is.
  bool all_ranks = false;
};

/// Everything that the options ask for, read against this machine and its cpuset.
struct RunPlan {
  placement::Placement process;
  /// Of ranks 0, 1, …, which later ones take again in turn; empty where the plan is for one rank.
  /// `process`, `threads` and `rank` are those of rank 0 then.
  std::vector<placement::Placement> process_by_rank = {};
  ThreadPlan threads;
  std::optional<LocalRank> rank;
  std::vector<std::string> program;
  /// -errno where there is no program in which the names of --place could be looked up; else 0.
  int absence = 0;
  /// Why the kernel would refuse the memory policy here; empty when it would not.
  std::string refusal;
};

/// "bind, balanced, nodes 0-1".
std::string policy_text(const placement::Policy& policy);

/// How many entries the plan has for threads: those after start again at the first. 0 without any.
std::size_t thread_entries(const ThreadPlan& plan);

/// True when some option names nodes, CPUs or threads, so that a machine is needed at all.
bool needs_machine(const RunRequest& request);

/// True when some option names packages, cores or caches, which the quick machine lacks.
bool needs_full_machine(const RunRequest& request);

/// Reads the request against the machine, looks up devices, ranks and the names of --place. Errors:
/// those of each option.
Result<RunPlan> make_run_plan(os::Os& os, const machine::Machine& machine,
                              const RunRequest& request);

/// Why this kernel or container would refuse to set a memory policy, found by asking for the
/// present one and setting one that does not exist; empty when it would not.
std::string find_policy_refusal(os::Os& os);

}  // namespace homenode::launch
