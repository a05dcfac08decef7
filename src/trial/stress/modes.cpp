#include "trial/stress/modes.h"

#include <fmt/format.h>

#include <algorithm>

#include "actuation/process.h"
#include "trial/own_place.h"
#include "trial/stress/daemons.h"

namespace homenode::trial {
namespace {

/// "plain, numad, …": what --modes may name.
std::string mode_names() {
  std::string names;
  for (const auto& [name, mode] : stress_modes) {
    if (mode == StressMode::system) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return names;
}

}  // namespace

Result<std::vector<StressMode>> parse_modes(const StressOptions& options) {
  std::vector<StressMode> modes;
  std::string_view rest = options.modes;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto* const found = std::ranges::find_if(stress_modes, [&](const auto& choice) {
      return word == choice.first && choice.second != StressMode::system;
    });
    if (found == stress_modes.end()) {
      return bad_usage(fmt::format("there is no mode '{}'", word),
                       fmt::format("choose from {}", mode_names()));
    }
    if (std::ranges::find(modes, found->second) != modes.end()) {
      return bad_usage(fmt::format("the mode {} is named twice", word), "name it once");
    }
    modes.push_back(found->second);
  }
  const bool binds = std::ranges::find(modes, StressMode::membind) != modes.end();
  if (binds == options.membind.empty()) {
    return bad_usage("the mode membind and --membind only work together",
                     "give --modes with membind, and --membind NODES");
  }
  return modes;
}

Result<StressReport> run_mode(os::Os& os, const machine::Machine& machine, const StressPlan& plan) {
  const StressMode mode = plan.options.mode;
  if (mode == StressMode::system) return run_stress(os, machine, plan);
  const auto daemons = StressDaemons::start(os, mode, plan.options.numad_interval_s);
  if (!daemons) return daemons.as_unexpected();
  if (mode != StressMode::membind) return run_stress(os, machine, plan);
  const SavedPlace before(os);
  const placement::Policy bind{placement::PolicyKind::bind, plan.membind, false};
  if (auto bound = actuation::set_process_policy(os, bind); !bound) return bound.as_unexpected();
  return run_stress(os, machine, plan);
}

Result<std::vector<StressReport>> run_modes(os::Os& os, const machine::Machine& machine,
                                            const StressPlan& plan,
                                            const std::vector<StressMode>& modes) {
  std::vector<StressReport> reports;
  StressPlan own = plan;
  for (StressMode mode : modes) {
    own.options.mode = mode;
    auto report = run_mode(os, machine, own);
    if (!report) return report.as_unexpected();
    reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace homenode::trial
