// What numactl's options ask for, as a placement. Pure; serves the verb `run`.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "machine/devices/devices.h"
#include "machine/machine.h"
#include "placement/placement.h"

namespace homenode::launch {

/// What each rank of --per-rank takes in turn.
enum class RankDomain { node, package };

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
    near,
    per_rank,
    // Of shared memory (launch/segment.h), of which resolve() sees --strict alone and ignores it.
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
    verify,
  };
  /// As read: nothing; text that only a machine, a system or launch/segment.h can read (a list, a
  /// device, a path or a number); or what ranks take. As looked up: a list with the node of the
  /// device at its end; or the nodes of the device of --near or of this rank.
  using Value =
      std::variant<std::monostate, std::string, RankDomain, machine::ListWithDevice, NodeSet>;
  Kind kind = Kind::all;
  Value value = {};

  /// The value as written. pre: it is text.
  [[nodiscard]] const std::string& text() const { return std::get<std::string>(value); }
};

/// True when the option takes a value.
bool takes_value(RunSetting::Kind kind);

/// True when the option names nodes or CPUs (or what stands for them), so that resolving it needs a
/// machine.
bool takes_list(RunSetting::Kind kind);

/// An option with its value as written. Errors: bad_usage for an unknown domain of --per-rank.
Result<RunSetting> read_setting(RunSetting::Kind kind, std::string text);

/// What --cpunodebind and --physcpubind bind to, without --per-rank, which takes its nodes of it;
/// nothing where neither is given. pre: devices in lists are looked up. Errors: those of the two.
Result<std::optional<CpuSet>> bound_cpus(const machine::Machine& machine,
                                         const std::vector<RunSetting>& settings);

/// By numactl's rules: one memory policy at most; of several CPU bindings the last one holds; --all
/// stands before every list; --balancing counts with --membind only; `same` is the node list
/// before. --near and --per-rank bind to those CPUs of their nodes that are allowed, and prefer the
/// nodes' memory where no policy is given; --per-rank to those that --cpunodebind and --physcpubind
/// leave, wherever these stand. pre: --near and --per-rank are looked up, and some CPU of the
/// rank's nodes is left. Errors: bad_usage for what breaks a rule, for lists that cannot be read,
/// for nodes and CPUs that do not exist or are not allowed, and for --near beside --per-rank.
Result<placement::Placement> resolve(const machine::Machine& machine,
                                     const std::vector<RunSetting>& settings);

}  // namespace homenode::launch
