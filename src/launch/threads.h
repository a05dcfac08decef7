// Placement thread by thread, for the verb `run`: what the options ask for (pure), and the
// environment in which the agent makes it so inside the program.
//
// For the table of options, one sentence of help each:
//   --threads EXPR        CPUs of each thread in creation order (the main thread is 0); EXPR is a
//                         list (0,4,8-11), a likwid expression (S0:0-3@S1:0-3, E:N:4:1:2,
//                         M:scatter), OMP_PLACES (cores, {0:4}:8:4) or Charm++'s ranges
//                         (0-7:2.1+8); more threads than entries start again at the first
//   --thread-memory RULES memory policy of each thread in creation order, parted by '/':
//                         bind@0/bind@1/interleave@0-3; more threads than rules start again
//   --skip-threads LIST   threads that are left alone and take no entry of the map, by number in
//                         creation order, 0 being the main thread: a runtime's helper threads
//   --heap RULE           policy of all memory that the program touches first, its stacks excepted:
//                         --heap interleave
//   --place RULE          'size>64M: cyclic': a rule for each allocation (malloc, calloc, new,
//                         mmap) of more than this size, or by a function (from=alloc_3d), or for
//                         static data (name=u*); may be given several times, the first that fits
//                         holds
//   --malloc POLICY       the program gets homenode's malloc, with this policy of its arenas
//   --verbose             what --place did is told at the program's end
//   +setcpuaffinity +pemap LIST | +coremap LIST   Charm++'s words for --threads
//   +maffinity +nodemap LIST | +memnodemap LIST +mempol bind|preferred|interleave
//                         Charm++'s words for --thread-memory: node of each PE
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/allocation_rule.h"
#include "machine/machine.h"
#include "os/os.h"
#include "placement/policies/policy.h"
#include "placement/threads/map.h"

namespace homenode::launch {

/// The options as written; empty where not given.
struct ThreadRequest {
  std::string threads = {};
  std::string thread_memory = {};
  std::string skip_threads = {};
  std::string heap = {};
  std::vector<std::string> place = {};
  bool verbose = false;
  std::string malloc_policy = {};  ///< Of homenode's malloc; empty: the program keeps its own.
  /// The main thread of a forked child takes the next entry, as a new thread does, instead of
  /// staying where its parent is.
  bool count_forks = false;
  /// True when something is asked for that only the agent can do.
  [[nodiscard]] bool needs_agent() const;
};

/// Charm++'s words; `setcpuaffinity` and `maffinity` are its switches, the rest its lists.
struct CharmRequest {
  bool setcpuaffinity = false;
  std::string pemap = {};  ///< +pemap or +coremap.
  bool maffinity = false;
  std::string nodemap = {};  ///< +nodemap or +memnodemap, one node a PE.
  std::string mempol = {};   ///< bind, preferred or interleave.
};

/// The same in homenode's words. Charm++ forks the further PEs of a machine from the first one, or
/// makes them threads in an SMP build (where its communication thread, the last one, takes an entry
/// too); so both are counted. +mempol interleave is over all nodes of the map, for every PE.
/// Errors: bad_usage where a word lacks the one that it needs (+pemap and +maffinity need
/// +setcpuaffinity, +nodemap and +mempol need +maffinity).
Result<ThreadRequest> from_charm(const CharmRequest& charm);

/// What the request means on a machine.
struct ThreadPlan {
  std::optional<placement::ThreadMap> threads;
  std::vector<placement::Policy> memory_by_rank;  ///< Empty: threads inherit the process's policy.
  std::vector<unsigned> skipped;                  ///< Numbers in creation order, increasing.
  bool count_forks = false;                       ///< As in the request.
  std::optional<placement::Policy> heap;
  std::vector<AllocationRule> allocations;
  bool verbose = false;            ///< As in the request.
  std::string malloc_policy = {};  ///< As in the request.

  /// All CPUs of the map: what the launcher binds the process to, so that runtimes that count CPUs
  /// before main() count these. Empty without a map.
  [[nodiscard]] CpuSet process_cpus() const;
  /// The policy of a rank; null when it inherits the process's.
  [[nodiscard]] const placement::Policy* memory_of(std::size_t rank) const;
};

/// True when the text of --threads speaks of packages, cores or caches, so that reading it needs a
/// machine that knows them; numbers alone do not.
bool needs_topology(const ThreadRequest& request);

/// Reads the request against the machine. Errors: bad_usage for what cannot be read, does not exist
/// or is not allowed, for --heap beside --thread-memory (a thread has one policy), and for --malloc
/// beside --heap or rules for allocations (each says where allocations go);
/// not_supported for rules that the agent cannot carry out; bad_usage where all of it is more than
/// one variable of the environment can hold.
Result<ThreadPlan> plan_threads(const machine::Machine& machine, const ThreadRequest& request);

/// The value of an environment variable; "" when it is unset.
using Lookup = std::function<std::string(const std::string& name)>;

/// Variables to set before the program is started. They are handed on to the programs that it
/// starts in turn, each of which counts its threads from 0 again: so a shell script, a Python
/// launcher or mpirun may stand between, as with numactl.
/// `folder` is where agent_folder() found the agent; what LD_PRELOAD and GLIBC_TUNABLES hold
/// already is kept. KMP_AFFINITY becomes "disabled" where it is unset, because LLVM's OpenMP would
/// else put each of its threads back on all CPUs.
std::vector<std::pair<std::string, std::string>> agent_environment(const ThreadPlan& plan,
                                                                   const std::string& folder,
                                                                   const Lookup& lookup);

/// What in the environment works against the plan, one sentence each, to be told to the person:
/// OpenMP runtimes that are asked to bind threads themselves do so after the agent.
std::vector<std::string> agent_conflicts(const ThreadPlan& plan, const Lookup& lookup);

/// The text of HOMENODE_AGENT (agent/wire.h). pre: the names of --place are found.
std::string wire_text(const ThreadPlan& plan);

/// Errors: bad_usage where the text is more than one variable of the environment can hold.
Result<void> check_wire_fits(const ThreadPlan& plan);

/// The folder of libhomenode-agent.so: one of `libexec` (the value of HOMENODE_LIBEXEC, folders
/// separated by colons), or by the place of the command: ../libexec/homenode, ../lib, or the Python
/// package beside it. `executable` is the command's own file. Errors: failed naming the folders
/// that were tried.
Result<std::string> agent_folder(os::Os& os, const std::string& executable,
                                 const std::string& libexec);

}  // namespace homenode::launch
