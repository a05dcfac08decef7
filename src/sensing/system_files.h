// Where this room reads: /proc and /sys, below a root that is "" for the live system and a folder
// of captured files in tests. Files are read and listed through os::Os.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/os.h"
#include "sensing/survey.h"

namespace homenode::sensing {

struct SystemFiles {
  os::Os& os;
  std::string root = {};

  /// 0 or -errno, as os::Os::read_file. `path` starts with a slash.
  int read(const std::string& path, std::string& content) const {
    return os.read_file(root + path, content);
  }
  /// The numbers among the names in a folder, in increasing order; 0 or -errno.
  int list_numbers(const std::string& path, std::vector<pid_t>& numbers) const;
  /// All threads of a process, in increasing order; 0 or -errno. The kernel leaves out some that
  /// live where others end meanwhile, so they are listed until a list names none that is new.
  int list_threads(pid_t pid, std::vector<pid_t>& threads) const;
};

/// All nodes that are online, with their CPUs and their memory; what cannot be read of one is empty
/// or 0. A kernel without NUMA, which has no list of nodes, has one, number 0, with everything;
/// `allowed`, the nodes that some process may use, must not say otherwise. Errors: failed when the
/// list cannot be read.
Result<std::vector<NodeFacts>> read_nodes(const SystemFiles& files, const NodeSet& allowed);

/// The CPUs that the cpuset of a process lets it use: those of the nearest cgroup that names any,
/// or all that are online; empty where that cannot be read either.
CpuSet cpuset_of(const SystemFiles& files, pid_t pid);

/// The path behind "0::" in /proc/PID/cgroup; empty without such a line. Pure.
std::string cgroup_in(std::string_view text);

}  // namespace homenode::sensing
