// The ranks of an MPI or Slurm job on this host: which CPUs each may use, and whether that is what
// a job wants. The rules are pure; reading goes through SystemFiles. Serves `where --job`.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

/// How a rank is bound, from what hurts most to what is right.
enum class Binding { unbound, shared, too_few, spread, bound };
/// "unbound", "shared", "too-few", "spread", "bound".
std::string to_string(Binding binding);

struct JobRank {
  unsigned rank = 0;
  pid_t pid = 0;
  std::string job;                       ///< What the launcher calls it; may be empty.
  CpuSet cpus;                           ///< That it may run on: its affinity within its cpuset.
  NodeSet nodes;                         ///< Of these CPUs.
  NodeSet memory_nodes;                  ///< That its cpuset leaves it.
  std::optional<unsigned> wanted;        ///< CPUs per task, as Slurm was asked for.
  std::optional<unsigned> threads = {};  ///< Of OpenMP, as its environment asks for.
  Binding binding = Binding::bound;
  std::string verdict;  ///< The same in a sentence.
};

/// Fills in `nodes`, `binding` and `verdict` of ranks of one host. Pure.
void judge(std::vector<JobRank>& ranks, const std::vector<NodeFacts>& nodes);

/// The ranks on this host, judged, by job and number: processes whose environment has a rank, of
/// several with the same one those without a child in it. Inside a job of Slurm, those of this job
/// alone; not the process `self`. Errors: failed when /proc or the nodes cannot be read, or when
/// there is no rank.
Result<std::vector<JobRank>> read_job(const SystemFiles& files, pid_t self);

}  // namespace homenode::sensing
