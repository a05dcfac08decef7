// What the kernel's files say of processes that could be balanced, and why a process or a thread of
// one is left alone. Reading stops early: what hardly runs costs one file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "balancer/changes.h"
#include "base/id_set.h"
#include "base/units.h"
#include "sensing/system_files.h"

namespace homenode::balancer {

/// Why something is left alone, as a phrase without a full stop; empty where it is not.
using Untouchable = std::string;

struct ThreadFacts {
  TaskKey key;
  std::string name;
  std::uint64_t cpu_ticks = 0;
  CpuId last_cpu;
  CpuSet allowed;
  Untouchable why_not;
};

struct ProcessFacts {
  TaskKey key;
  std::string name;
  std::uint64_t cpu_ticks = 0;
  unsigned user = 0;
  Bytes resident;
  std::string cgroup;  ///< Of version 2, "/" for the root; empty where there is none.
  CpuSet cpuset;       ///< All CPUs that its cpuset lets it use.
  NodeSet memory;      ///< All nodes whose memory it may use.
  std::vector<ThreadFacts> threads;
  Untouchable why_not;  ///< It concerns the whole process.
};

/// One line of /proc/PID/stat as far as it is needed for all processes. Nothing for one that has
/// ended or is hidden, and for a thread of the kernel.
std::optional<ProcessFacts> read_quickly(const sensing::SystemFiles& files, pid_t pid);

/// Adds the rest: user, memory, cpuset, threads, and why each is left alone: kernel threads and PID
/// 1, real-time threads, traced processes, threads that are bound to less than the cpuset by
/// somebody else than `changes`, and what cannot be read. False where the process has ended.
bool read_wholly(const sensing::SystemFiles& files, const Changes& changes, ProcessFacts& process);

}  // namespace homenode::balancer
