// /proc/PID/stat and status, and those of its threads, as values. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id_set.h"

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

/// The stack pointer in `syscall`, of a thread that waits in the kernel; nothing for a running one.
std::optional<std::uint64_t> stack_pointer_in(std::string_view text);

}  // namespace homenode::sensing
