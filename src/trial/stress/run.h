// homenode bench stress: one run of a plan, and what is known after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/os.h"
#include "trial/stress/plan.h"
#include "workloads/stress/moves.h"

namespace homenode::trial {

/// What the kernel counts for the whole system; nothing where it does not.
struct SystemMoves {
  std::optional<std::uint64_t> balancing;  ///< numa_pages_migrated: by the kernel's own balancing.
  std::optional<std::uint64_t> migrated;   ///< pgmigrate_success: by whomever.
};

/// From the text of /proc/vmstat. Pure.
SystemMoves moves_in(const std::string& vmstat);

/// Who else may have moved pages and threads.
struct Surroundings {
  std::optional<int> kernel_balancing;  ///< /proc/sys/kernel/numa_balancing.
  bool numad = false;                   ///< A process of that name ran when the cycles began.
};

struct StressReport {
  StressPlan plan;
  Surroundings surroundings;
  double seconds = 0.0;                    ///< The cycles, the clock of the host that ran them.
  std::optional<double> modelled_s;        ///< The same by the lab's model; absent outside it.
  std::optional<double> released_s;        ///< When the threads were released.
  std::vector<std::uint64_t> cycles;       ///< By thread.
  std::vector<std::size_t> sampled_pages;  ///< By number of the page in the whole memory.
  std::vector<workloads::stress::Sample> samples;
  workloads::stress::MoveCounts moves;
  std::vector<double> local_shares;  ///< By sample.
  SystemMoves system_moves;          ///< What was added while the cycles ran.
};

/// Allocates, pins, touches, perturbs, runs, watches and checks the content of the memory.
/// Errors: failed when memory, threads or the perturbing process are refused, or when the content
/// is not what the threads made it.
Result<StressReport> run_stress(os::Os& os, const machine::Machine& machine,
                                const StressPlan& plan);

}  // namespace homenode::trial
