// What is left alone without a closer look, or after one without samples, and why.
#include <fmt/format.h>

#include <algorithm>

#include "balance/plan.h"
#include "balance/step.h"

namespace homenode::balance {

std::string gate(const Observation& seen, const machine::Machine& machine, const Limits& limits) {
  if (!seen.why_not.empty()) return seen.why_not;
  if (machine.nodes_with_memory().size() < 2) return "the machine has one node";
  if (seen.cpus < limits.least_cpus) {
    return fmt::format("it uses {:.2f} CPUs, less than {:.2f}", seen.cpus, limits.least_cpus);
  }
  if (seen.resident < limits.least_memory) {
    return fmt::format("it has {} MiB of memory, less than {}", seen.resident.value >> 20U,
                       limits.least_memory.value >> 20U);
  }
  if (seen.age_s < limits.least_age_s) {
    return fmt::format("it has run for {:.0f} s, less than {:.0f}", seen.age_s, limits.least_age_s);
  }
  // Threads that do the work: one that waits for them may be free where they are bound.
  if (std::ranges::any_of(seen.threads, is_movable)) return {};
  const auto bound = std::ranges::find_if(
      seen.threads, [](const Thread& thread) { return !thread.why_not.empty(); });
  return bound == seen.threads.end() ? "no thread of it computes"
                                     : "each thread that computes: " + bound->why_not;
}

// A huge page is sampled once, however much it is used, so that memory of them gives but a few for
// each region; verdicts take two windows all the same.
bool has_enough_samples(const Observation& seen, const Limits& limits) {
  constexpr double at_least = 0.25;  // [chosen] Of what is asked for otherwise.
  const double of_regions = limits.least_region_samples * static_cast<double>(seen.regions.size());
  return uses_of(seen) >=
         std::min(limits.least_samples, std::max(at_least * limits.least_samples, of_regions));
}

std::string too_few_samples(const Observation& seen, double samples, int windows) {
  std::string text = samples > 0 ? fmt::format("{:.0f} samples are too few to judge by", samples)
                                 : fmt::format("{} gave no samples to judge by", seen.source);
  if (windows < 2) return text;
  text += fmt::format(", for {} looks in a row", windows);
  if (!seen.source_misses.empty()) {
    text += fmt::format("; {} cannot see {}", seen.source, seen.source_misses);
  }
  for (const auto& [source, why] : seen.better_sources) {
    text += fmt::format("; {} would see more, but {}", source, why);
  }
  return text;
}

}  // namespace homenode::balance
