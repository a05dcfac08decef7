// What `run` would do, told without doing it: text and JSON. Serves the verb `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run_ranks.h"
#include "cli/run_threads.h"
#include "placement/placement.h"

namespace homenode::cli {

/// Everything that the options ask for, read against this machine and its cpuset.
struct RunPlan {
  placement::Placement process;
  ThreadPlan threads;
  std::optional<LocalRank> rank;
  std::vector<std::string> program;
  /// Why the kernel would refuse the memory policy here; empty when it would not.
  std::string refusal;
};

std::string explain_text(const RunPlan& plan);

/// Schema "homenode.run.explain/1".
std::string explain_json(const RunPlan& plan);

/// "bind, balanced, nodes 0-1".
std::string policy_words(const placement::Policy& policy);

/// How many entries the plan has for threads: those after start again at the first. 0 without any.
std::size_t thread_entries(const ThreadPlan& plan);

}  // namespace homenode::cli
