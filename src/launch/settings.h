// What numactl's options ask for, as a placement. Pure; serves the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/placement.h"

namespace homenode::launch {

/// One option as it was given; the order on the command line matters (same, --all).
struct RunSetting {
  enum class Kind {
    all,
    interleave,
    weighted_interleave,
    membind,
    preferred,
    preferred_many,
    localalloc,
    balancing,
    cpunodebind,
    physcpubind,
    near,      ///< Value: the nodes of the device (run_devices.h).
    per_rank,  ///< Value: the nodes of the rank (run_ranks.h).
    // Of shared memory (run_segment.h), of which resolve() sees --strict alone and ignores it.
    shm,
    file,
    shmid,
    shmmode,
    offset,
    length,
    huge,
    strict,
    touch,
    dump,
    dump_nodes,
  };
  Kind kind = Kind::all;
  std::string value;  ///< The list as written; empty for options without one.
};

/// True when a value stands behind the option.
bool takes_value(RunSetting::Kind kind);

/// True when the option names nodes or CPUs (or what stands for them), so that resolving it needs a
/// machine.
bool takes_list(RunSetting::Kind kind);

/// By numactl's rules: one memory policy at most; of several CPU bindings the last one holds; --all
/// stands before every list; --balancing counts with --membind only; `same` is the node list
/// before. --near and --per-rank bind to those CPUs of their nodes that are allowed, and prefer the
/// nodes' memory where no policy is given. Errors: bad_usage for what breaks a rule, for lists that
/// cannot be read, and for nodes and CPUs that do not exist or are not allowed.
Result<placement::Placement> resolve(const machine::Machine& machine,
                                     const std::vector<RunSetting>& settings);

}  // namespace homenode::launch
