// The kernel's files that say what a machine is and what a process may use of it: their text, and
// reading them through the os contract. They are read below HWLOC_FSROOT where that is set, as by
// hwloc. Serves every room that asks for nodes, their memory or what the cpuset allows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"
#include "os/os.h"

namespace homenode::machine {

inline constexpr const char* cpu_folder = "/sys/devices/system/cpu/";
inline constexpr const char* node_folder = "/sys/devices/system/node/";
inline constexpr const char* tier_folder = "/sys/devices/virtual/memory_tiering/";
inline constexpr const char* status_file = "/proc/self/status";
inline constexpr const char* meminfo_file = "/proc/meminfo";

/// Where a path of the kernel's is read: below HWLOC_FSROOT where that is set.
std::string below_root(const std::string& path);

/// The path of a node's file: node_file(NodeId(3), "meminfo").
std::string node_file(NodeId node, std::string_view name);

/// The rest of the first line that begins with `key`, without the blanks around it; empty when no
/// line does. Pure.
std::string_view value_after(std::string_view text, std::string_view key);

/// "Node 0 MemFree:  1024 kB" or "MemFree:  1024 kB": the amount behind `key`, in the system's
/// meminfo, a node's, or smaps; nothing without one. Pure.
std::optional<Bytes> memory_amount(std::string_view meminfo, std::string_view key);

/// What the text of a status file allows; nothing where it has no readable list. Pure.
std::optional<CpuSet> allowed_cpus_in(std::string_view status);
std::optional<NodeSet> allowed_nodes_in(std::string_view status);

/// A file of /proc or /sys. 0 or -errno.
int read_kernel_file(os::Os& os, const std::string& path, std::string& content);
/// The names in a folder of /proc or /sys, sorted. 0 or -errno.
int list_kernel_folder(os::Os& os, const std::string& path, std::vector<std::string>& names);

/// A list of nodes of sysfs: "online", "has_memory", "has_cpu". 0, -EINVAL for a text that is no
/// list or an empty one, or another -errno.
int read_node_list(os::Os& os, const char* name, NodeSet& nodes);
/// The node's SLIT distances to all nodes that are online, in their order; empty when unknown.
std::vector<unsigned> read_node_distances(os::Os& os, NodeId node);
/// Free memory of each node; nodes whose file cannot be read are absent.
std::map<NodeId, Bytes> free_memory(os::Os& os, const std::vector<NodeId>& nodes);
/// MemAvailable; nothing when it cannot be read.
std::optional<Bytes> available_memory(os::Os& os);
/// The nodes that this process may use; empty when the kernel does not say.
NodeSet allowed_nodes(os::Os& os);
/// The number of the memory tier that each node is in, the lower the faster, from files below
/// `root` ("" for the live system); empty on kernels without tiers (before 6.1).
std::map<NodeId, unsigned> memory_tiers(os::Os& os, const std::string& root);

}  // namespace homenode::machine
