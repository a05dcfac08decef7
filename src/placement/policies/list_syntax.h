// numactl's list syntaxes for nodes and CPUs, which need a machine: all, same, !list, +list.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace homenode::placement {

/// numactl's forms: "0-3,8"; "all" = every allowed node with memory; "same" = `previous` (the set
/// given to an earlier option; an error when there is none); "!L" = allowed ones not in L; "+L" =
/// numbers count within the allowed ones; "!+L" both. As in numactl, a list may also end with
/// "all", and numbers may be written as C does (0x10, 010). `last`, if there is one, is the last
/// item, which then is empty in the text: a device stood there. `all_nodes` lifts the cpuset check
/// (numactl
/// --all). Unlike numactl, a range that runs backwards, a sign inside a list and an empty result
/// are errors. Errors: bad_usage for syntax; bad_usage naming the ids that do not exist or are not
/// allowed.
Result<NodeSet> parse_nodes(const machine::Machine& machine, std::string_view text,
                            const std::optional<NodeSet>& previous = {}, bool all_nodes = false,
                            std::optional<NodeId> last = {});

/// Which nodes a list may name where nodes stand for their CPUs.
enum class CpuReach {
  usable,   ///< Those with a CPU that this process may use: its affinity and its cpuset allow it.
  cpuset,   ///< These, and those with CPUs whose memory the cpuset allows: a process may widen its
            ///< own affinity, and the kernel cuts off what the cpuset does not allow (numactl -N).
  machine,  ///< All with CPUs (numactl --all).
};

/// The same where nodes stand for their CPUs: "all" is every node of the reach, even without
/// memory.
Result<NodeSet> parse_cpu_nodes(const machine::Machine& machine, std::string_view text,
                                const std::optional<NodeSet>& previous = {},
                                CpuReach reach = CpuReach::usable, std::optional<NodeId> last = {});

/// The same for CPUs; "all" = every CPU that affinity and cpuset allow, or with `all_cpus` every
/// CPU of the machine.
Result<CpuSet> parse_cpus(const machine::Machine& machine, std::string_view text,
                          const std::optional<CpuSet>& previous = {}, bool all_cpus = false);

}  // namespace homenode::placement
