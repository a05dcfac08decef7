// The machine as lists of nodes and CPUs need it, from a handful of the kernel's files and without
// hwloc, whose discovery takes longer than starting a program may. Serves the verb `run`.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::machine {

/// Gives the content of a file and 0, or -errno.
using FileReader = std::function<int(const std::string& path, std::string& content)>;

/// Nodes with their online CPUs and their memory, offline CPUs, and what this process may use: the
/// same as load_live() gives. Packages, caches, devices and matrices stay empty. A system without
/// nodes is one node 0.
///
/// Reads /sys/devices/system/{node,cpu} and, for what the process may use, its own status, which
/// holds the narrower of its cpuset and its CPU binding. A node without memory counts as allowed
/// where the cpuset leaves out none of those with memory: the kernel lists no others.
/// Errors: failed when the kernel's files cannot be read or contradict each other.
Result<Machine> load_quick(const FileReader& read);

/// load_quick() over the kernel's files, through the os contract. Errors: as there.
Result<Machine> read_quick_machine(os::Os& os);

}  // namespace homenode::machine
