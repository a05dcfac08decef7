// How the agent learns of a plan: the text that it reads (agent/wire.h), the environment in which
// the program is started, and where the agent is installed. Serves the verb `run`.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/threads.h"
#include "os/os.h"

namespace homenode::launch {

/// The value of an environment variable; "" when it is unset.
using Lookup = std::function<std::string(const std::string& name)>;

/// Variables to set before the program is started. The programs that it starts in turn inherit
/// them, and each counts its threads from 0 again: so a shell script, a Python
/// launcher or mpirun may stand between, as with numactl.
/// `folder` is where agent_folder() found the agent; what LD_PRELOAD and GLIBC_TUNABLES hold
/// already is kept. KMP_AFFINITY becomes "disabled" where it is unset, because LLVM's OpenMP would
/// else put each of its threads back on all CPUs.
std::vector<std::pair<std::string, std::string>> agent_environment(const ThreadPlan& plan,
                                                                   const std::string& folder,
                                                                   const Lookup& lookup);

/// What in the environment works against the plan, one sentence each for the person: OpenMP
/// runtimes that are asked to bind threads themselves do so after the agent.
std::vector<std::string> agent_conflicts(const ThreadPlan& plan, const Lookup& lookup);

/// MODE[@NODES], as the agent reads a policy. pre: no home node.
std::string wire_policy(const placement::Policy& policy);

/// A rule's field of the agent's text, with a space before it; empty for a rule whose names have
/// no page of their own. pre: its names are found.
std::string wire_field(const AllocationRule& rule);

/// The text of HOMENODE_AGENT (agent/wire.h). pre: the names of --place are found.
std::string wire_text(const ThreadPlan& plan);

/// Errors: bad_usage where the text is more than one variable of the environment can hold.
Result<void> check_wire_fits(const ThreadPlan& plan);

/// The folder of libhomenode-agent.so: one of `libexec` (the value of HOMENODE_LIBEXEC, folders
/// separated by colons), or by the place of the command: ../lib/homenode, ../lib, or the Python
/// package beside it. `executable` is the command's own file. Errors: failed naming the folders
/// that were tried.
Result<std::string> agent_folder(os::Os& os, const std::string& executable,
                                 const std::string& libexec);

}  // namespace homenode::launch
