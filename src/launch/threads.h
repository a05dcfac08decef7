// Placement thread by thread, for the verb `run`: what the options ask for, and what that means on
// a machine. Pure; launch/agent.h hands the plan to the agent, which carries it out in the program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/allocations.h"
#include "machine/machine.h"
#include "placement/policies/policy.h"
#include "placement/threads/map.h"

namespace homenode::launch {

/// The options as written; empty where not given.
struct ThreadRequest {
  std::string threads = {};             ///< CPUs of each thread, in the order of creation.
  std::string thread_memory = {};       ///< Policies of the threads, separated by '/'.
  std::string skip_threads = {};        ///< Threads that are left alone and take no entry.
  std::string heap = {};                ///< Policy of what the program allocates.
  std::vector<std::string> place = {};  ///< Rules; the first that fits holds.
  bool verbose = false;
  std::string malloc_policy = {};  ///< Of homenode's malloc; empty: the program keeps its own.
  /// The main thread of a forked child takes the next entry, as a new thread does, instead of
  /// staying where its parent is.
  bool count_forks = false;
  /// Instead of thread_memory; one without nodes is for all that may be used.
  std::vector<placement::Policy> thread_policies = {};
  [[nodiscard]] bool sets_thread_memory() const;
  /// True when something is asked for that only the agent can do.
  [[nodiscard]] bool needs_agent() const;
};

/// What the request means on a machine.
struct ThreadPlan {
  std::optional<placement::ThreadMap> threads;
  std::vector<placement::Policy> memory_by_rank;  ///< Empty: threads inherit the process's policy.
  std::vector<unsigned> skipped;                  ///< Numbers in creation order, increasing.
  bool count_forks = false;                       ///< As in the request.
  std::optional<placement::Policy> heap;
  std::vector<AllocationRule> allocations;
  bool verbose = false;  ///< As in the request.
  /// The launcher has said that memory policies are refused here, so the agent need not.
  bool refusal_reported = false;
  std::string malloc_policy = {};  ///< As in the request.

  /// All CPUs of the map: what the launcher binds the process to, so that runtimes that count CPUs
  /// before main() count these. Empty without a map.
  [[nodiscard]] CpuSet process_cpus() const;
  /// True when something inside the program needs memory policies, of the agent or of the malloc.
  [[nodiscard]] bool sets_policies() const;
  /// The policy of a rank; null when it inherits the process's.
  [[nodiscard]] const placement::Policy* memory_of(std::size_t rank) const;
};

/// True when the text of --threads names packages, cores or caches, so that reading it needs a
/// machine that knows them; numbers alone do not.
bool needs_topology(const ThreadRequest& request);

/// Reads the request against the machine. Errors: bad_usage for what cannot be read, does not exist
/// or is not allowed, for --heap beside --thread-memory (a thread has one policy), and for --malloc
/// beside --heap or rules for allocations (each says where allocations go);
/// not_supported for rules that the agent cannot carry out; bad_usage where all of it is more than
/// one variable of the environment can hold.
Result<ThreadPlan> plan_threads(const machine::Machine& machine, const ThreadRequest& request);

}  // namespace homenode::launch
