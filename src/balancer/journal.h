// What the balancer has changed and has to put back: CPUs of threads, homes of pages, and the
// kernel's own balancing. It is saved before each change, so that the next start puts back what a
// killed one left. changes.h makes the changes and saves it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "balance/observation.h"
#include "base/id_set.h"
#include "base/result.h"
#include "base/units.h"
#include "sensing/system_files.h"

namespace homenode::balancer {

using balance::TaskKey;

struct ThreadChange {
  TaskKey process;
  TaskKey thread;
  CpuSet before;
  /// What it was or may have been bound to since, the latest last: a kill can come between saving
  /// and binding. A thread that has other CPUs was bound by somebody else and is left alone.
  std::vector<CpuSet> after;
  friend bool operator==(const ThreadChange&, const ThreadChange&) = default;
};

/// Pages at equal distances that were on one node and go to one other.
struct PageChange {
  TaskKey process;
  std::uint64_t first = 0;  ///< Address.
  Bytes page_size;
  std::uint64_t pages = 0;
  NodeId from;
  NodeId to;
  std::uint64_t stride = 1;  ///< From one to the next, in pages.
  friend bool operator==(const PageChange&, const PageChange&) = default;
};

struct Journal {
  std::string boot;  ///< Which start of the system it is about: boot_id in random(4).
  TaskKey owner;     ///< The balancer that changes it.
  std::vector<ThreadChange> threads;
  std::vector<PageChange> pages;                ///< In the order in which they were moved.
  std::optional<std::string> kernel_balancing;  ///< What kernel.numa_balancing was.

  [[nodiscard]] bool empty() const { return threads.empty() && pages.empty() && !kernel_balancing; }
  friend bool operator==(const Journal&, const Journal&) = default;
};

/// One line; schema homenode.balance.state/1.
std::string to_json(const Journal& journal);

/// Errors: failed, naming what is wrong with a text that to_json() did not write.
Result<Journal> journal_in(std::string_view text);

/// Stores the text of the journal, whole or not at all.
using Save = std::function<Result<void>(const std::string&)>;

// The file that it is kept in while the balancer runs; journal_file.cpp. One balancer at a time has
// it; what is in it after that one was killed, the next puts back.

/// What a balancer that is gone left in the file: nothing where there is none, or where the system
/// has been started since, as nothing is left of its changes then. Errors: failed when it cannot be
/// read, holds something else, or belongs to a balancer that runs.
Result<Journal> load_state(const sensing::SystemFiles& files, const std::string& path);

/// A journal of this process, without changes.
Journal own_journal(const sensing::SystemFiles& files);

/// Replaces the file, whole or not at all.
Save saves_to(const std::string& path);

}  // namespace homenode::balancer
