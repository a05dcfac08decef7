// Which process of this host this is, as MPI libraries and Slurm say in the environment, and which
// nodes are its own. Pure; serves `run --per-rank`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/settings.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::launch {

struct LocalRank {
  unsigned rank = 0;     ///< Among the processes of this host.
  std::string variable;  ///< That holds the rank.
  NodeSet nodes = {};    ///< What it takes, once that is known.
  /// After how many ranks the nodes are taken again, once that is known.
  std::size_t domains = 0;
};

/// The node sets that ranks take in turn.
using RankDomains = std::vector<NodeSet>;

/// The value of a variable of the environment, or null.
using Environment = std::function<const char*(const char* name)>;

/// Knows Open MPI, MPICH and Intel MPI, MVAPICH, Slurm, PALS and Flux; else PMI_RANK or PMIX_RANK,
/// which count over all hosts and so are right on one host only. Errors: bad_usage when none is
/// set.
Result<LocalRank> find_local_rank(const Environment& environment);

/// What ranks take in turn when each takes a node or a package: those that have some of `cpus`.
/// Never empty. Errors: failed where none has.
Result<RankDomains> domains_of_ranks(const machine::Machine& machine, const CpuSet& cpus,
                                     RankDomain domain);

/// The threads of a rank: the entries of the map on its CPUs, cut to them. Errors: bad_usage where
/// the map has none.
Result<placement::ThreadMap> threads_of_rank(const placement::ThreadMap& threads,
                                             const CpuSet& cpus, const LocalRank& rank);

}  // namespace homenode::launch
