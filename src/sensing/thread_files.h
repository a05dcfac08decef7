// /proc/PID/stat and status, and those of its threads, as values. Pure.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id_set.h"
#include "base/units.h"

namespace homenode::sensing {

/// One line of `stat`.
struct TaskStat {
  pid_t id = 0;
  std::string name;  ///< As the program set it: blanks, brackets and ends of lines included.
  char state = '?';
  bool of_kernel = false;     ///< A thread of the kernel, which has no memory of its own.
  bool ended = false;         ///< Or about to: the memory goes some time before the state says so.
  std::uint64_t started = 0;  ///< In clock ticks since the system started; never changes.
  CpuId last_cpu;             ///< Where it runs or last ran.
  std::uint64_t cpu_ticks = 0;       ///< On processors so far, in user mode and in the kernel.
  std::size_t threads = 1;           ///< Of its process.
  std::uint64_t resident_pages = 0;  ///< Of its process, as far as the kernel counts them.
  bool realtime = false;             ///< Scheduled by SCHED_FIFO, SCHED_RR or SCHED_DEADLINE.
};
/// Nothing when the text is no such line.
std::optional<TaskStat> parse_stat(std::string_view text);

/// What `status` allows.
struct TaskLimits {
  CpuSet cpus;
  NodeSet memory_nodes;
};
/// Lists that are missing are empty.
TaskLimits parse_status(std::string_view text);

/// What `status` says of a process besides.
struct TaskOwner {
  std::optional<unsigned> user;  ///< The effective one; nothing where it cannot be read.
  pid_t tracer = 0;              ///< Who traces it with ptrace; 0 for nobody.
  Bytes resident;
  Bytes locked;
};
TaskOwner parse_owner(std::string_view text);

/// The stack pointer in `syscall`, of a thread that waits in the kernel; nothing for a running one.
std::optional<std::uint64_t> stack_pointer_in(std::string_view text);

}  // namespace homenode::sensing
