// What the kernel's refusals mean and what a person can do about each: one table for all calls, so
// that every room says the same thing.
#pragma once

#include <string>

#include "base/id_set.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::actuation {

/// The calls that are explained; `page_move` is the status of one page inside move_pages.
enum class Call {
  set_mempolicy,
  get_mempolicy,
  mbind,
  set_home_node,
  move_pages,
  page_move,
  sched_setaffinity,
  sched_getaffinity,
  madvise,
  mprotect,
  map_memory,
};

/// What was attempted: a phrase for people, and what the call was about where that matters.
struct Attempt {
  Call call = Call::set_mempolicy;
  std::string tried;  ///< "cannot interleave over the nodes 0-3"
  NodeSet nodes = {};
  CpuSet cpus = {};
  std::string kernel_needed = {};  ///< The first kernel that has it, such as "5.15", or empty.
};

/// The Error for a call that gave `result` (-errno). For EINVAL it reads /proc/self/status to name
/// the nodes or CPUs that are the cause. pre: result < 0.
Unexpected refusal(os::Os& os, const Attempt& attempt, int result);

}  // namespace homenode::actuation
