#include "trial/stress/options.h"

#include <fmt/format.h>

#include <cmath>

#include "os/atomic_file.h"
#include "workloads/stress/description.h"

namespace homenode::trial {
namespace {

using workloads::stress::Pattern;

constexpr std::size_t most_samples = std::size_t{1} << 20U;

Result<void> check_seconds(const std::string& option, double seconds, double least) {
  if (seconds >= least && seconds <= workloads::stress::longest_s)
    return {};  // Not a number is neither.
  return bad_usage(fmt::format("{} {} is out of range", option, seconds),
                   fmt::format("give {} to {:.0f} seconds", least, workloads::stress::longest_s));
}

}  // namespace

std::string to_string(Pattern pattern) {
  return name_of(stress_patterns, pattern);
}
std::string to_string(FirstTouch first_touch) {
  return name_of(first_touches, first_touch);
}

Result<void> check(const StressOptions& options) {
  if (options.cycles == std::uint64_t{0}) {
    return bad_usage("--cycles must be at least 1", "give --cycles 1 or more");
  }
  if (options.threads_per_node == 0U) {
    return bad_usage("--threads-per-node must be at least 1", "give --threads-per-node 1 or more");
  }
  if (options.block.value == 0) {
    return bad_usage("--block must be at least one page", "give --block 4k or more");
  }
  if (options.numad_interval_s == 0) {
    return bad_usage("--numad-interval must be at least 1: numad ends at once with 0",
                     "give --numad-interval 1 or more");
  }
  if (options.samples == 0 || options.samples > most_samples) {
    return bad_usage(fmt::format("--samples {} is out of range", options.samples),
                     fmt::format("give --samples 1 to {}", most_samples));
  }
  if (auto usable = check_seconds("--seconds", options.seconds, 0.0); !usable) return usable;
  if (auto usable = check_seconds("--interval", options.interval_s, 0.01); !usable) return usable;
  if (auto usable = check_seconds("--hold", options.hold_s.value_or(0.0), 0.0); !usable) {
    return usable;
  }
  if (!options.modes.empty()) return os::check_output_folder(options.output);
  if (options.mode == StressMode::membind && options.membind.empty()) {
    return bad_usage("the mode membind needs nodes to bind to", "give --membind NODES");
  }
  if (options.mode == StressMode::system && !options.membind.empty()) {
    return bad_usage("--membind only works with the mode membind",
                     "give --mode membind too, or run this under 'homenode run --membind'");
  }
  return os::check_output_folder(options.output);
}

}  // namespace homenode::trial
