// Reading a live process: thin reads, joined into a Survey. Serves `where`.
#pragma once

#include "base/result.h"
#include "sensing/survey.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

struct ReadOptions {
  bool only_numa_maps = false;  ///< What numastat reads: no threads, no ends of mappings.
  bool amounts = false;         ///< Read smaps, which walks all pages once more.
};

/// Surveys the process. Reads stat, status and numa_maps, then maps (or smaps) and what each thread
/// has. On a kernel that counts no pages per mapping it takes smaps, and asks move_pages for each
/// page where there are several nodes. A thread that ends meanwhile is left out.
///
/// Errors: failed when there is no such process or it ends meanwhile, or has no memory (a thread of
/// the kernel, or one that is ending or waits for its parent); not_supported when it belongs to
/// another user, with what is missing.
Result<Survey> read_survey(const SystemFiles& files, pid_t pid, ReadOptions options);

/// The same process still runs: `started` is that of its survey. One of which the kernel does not
/// say for now counts as running.
bool is_running(const SystemFiles& files, pid_t pid, std::uint64_t started);

}  // namespace homenode::sensing
