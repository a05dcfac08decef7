#include "trial/numa_mem/options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "os/atomic_file.h"
#include "workloads/numa_mem/description.h"

namespace homenode::trial {
namespace {

using workloads::numa_mem::Work;

Result<void> check_memory(const NumaMemOptions& options) {
  const std::array sizes{std::pair("-G", options.global_mb), std::pair("-P", options.process_mb),
                         std::pair("-L", options.locked_mb), std::pair("-T", options.thread_mb)};
  for (const auto& [letter, mb] : sizes) {
    if (mb >= 0.0 && mb <= workloads::numa_mem::most_mb) continue;  // Not a number is neither.
    return bad_usage(fmt::format("{} {} is not a size", letter, mb),
                     "give MiB from 0 on, such as 64");
  }
  if (options.global_mb + options.process_mb + options.thread_mb == 0.0) {
    return bad_usage("-G, -P and -T are all 0, so there is no memory to work on",
                     "give one of them more than 0 MiB");
  }
  if (options.locked_mb > options.process_mb) {
    return bad_usage(fmt::format("-L {} is more than -P {}, of which it is a part",
                                 options.locked_mb, options.process_mb),
                     "give a smaller -L, or a larger -P");
  }
  return {};
}

Result<void> check_numa_mem_times(const NumaMemOptions& options) {
  const std::array times{std::pair("-s", options.seconds), std::pair("-x", options.perturb_s)};
  for (const auto& [letter, seconds] : times) {
    if (seconds >= 0.0 && seconds <= workloads::numa_mem::longest_s) continue;
    return bad_usage(fmt::format("{} {} is out of range", letter, seconds),
                     fmt::format("give 0 to {:.0f} seconds", workloads::numa_mem::longest_s));
  }
  if (!(options.interval_s >= 0.01 && options.interval_s <= workloads::numa_mem::longest_s)) {
    return bad_usage(fmt::format("--interval {} is out of range", options.interval_s),
                     fmt::format("give 0.01 to {:.0f} seconds", workloads::numa_mem::longest_s));
  }
  if (options.loops == 0 && options.seconds == 0.0 && !options.until_converged) {
    return bad_usage("this run would never end", "give -l or -s more than 0");
  }
  return {};
}

}  // namespace

workloads::numa_mem::Course course_of(const NumaMemOptions& options) {
  const Work work = options.zero     ? Work::zero
                    : !options.reads ? Work::write
                    : options.writes ? Work::update
                                     : Work::read;
  return {work, options.random, options.backwards};
}

Result<void> check(const NumaMemOptions& options) {
  if (options.processes == 0 || options.threads == 0) {
    return bad_usage("-p and -t must be at least 1", "give -p and -t 1 or more");
  }
  if (!options.reads && !options.writes && !options.zero) {
    return bad_usage("-R, -W and -Z are all off, so no thread has work", "leave one of them on");
  }
  if (options.strategy != "none" && !(options.cpus.empty() && options.memory_nodes.empty())) {
    return bad_usage("--strategy places threads and memory, and so do -C and -M",
                     "give --strategy, or -C and -M, not both");
  }
  if (auto sizes = check_memory(options); !sizes) return sizes;
  if (auto times = check_numa_mem_times(options); !times) return times;
  return os::check_output_folder(options.output);
}

}  // namespace homenode::trial
