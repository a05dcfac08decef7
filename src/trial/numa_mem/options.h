// homenode bench numa-mem: its options as a value, which are those of `perf bench numa mem` by
// letter and name.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

struct NumaMemOptions {
  unsigned processes = 1;
  unsigned threads = 1;     ///< Of each process.
  double global_mb = 1.0;   ///< Memory of all threads of all processes, in units of 2^20 bytes.
  double process_mb = 0.0;  ///< Memory of each process, for all its threads.
  double locked_mb = 0.0;   ///< The part of it that is walked once more under the process's lock.
  double thread_mb = 0.0;   ///< Memory of each thread.
  std::uint64_t loops = 0;  ///< 0: no limit.
  double seconds = 5.0;     ///< 0: no limit.
  unsigned sleep_us = 0;    ///< Under the process's lock, in each loop.
  bool reads = true;
  bool writes = true;
  bool zero = false;  ///< memset instead of reads and writes.
  bool backwards = true;
  bool random = true;
  bool init_zero = false;  ///< Wins over init_names, as in perf.
  bool init_names = true;
  bool init_cpu0 = false;
  double perturb_s = 0.0;  ///< 0: never.
  int huge_pages = 0;      ///< Below 0: never, above: where possible.
  bool serialize = true;   ///< All threads begin at once.
  bool details = false;
  bool quiet = false;
  bool convergence = false;  ///< Look where threads and pages are while they work.
  bool until_converged = false;
  double interval_s = 1.0;   ///< Between two looks.
  std::string cpus;          ///< perf's list of CPUs, one entry for each task, or empty.
  std::string memory_nodes;  ///< perf's list of nodes, or empty.
  std::string strategy = "none";
  std::string output;  ///< A file for the JSON, or empty.
  bool json = false;

  [[nodiscard]] bool looks() const { return convergence || until_converged; }
};

workloads::numa_mem::Course course_of(const NumaMemOptions& options);

/// What is wrong with the options whatever the machine. Errors: bad_usage.
Result<void> check(const NumaMemOptions& options);

}  // namespace homenode::trial
