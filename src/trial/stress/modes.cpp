#include "trial/stress/modes.h"

#include <fmt/format.h>

#include <algorithm>

#include "actuation/process.h"
#include "base/choices.h"
#include "trial/own_place.h"
#include "trial/stress/daemons.h"

namespace homenode::trial {
namespace {

constexpr Choices<StressMode, 4> stress_modes{{{"plain", StressMode::plain},
                                               {"numad", StressMode::numad},
                                               {"membind", StressMode::membind},
                                               {"kernel", StressMode::kernel}}};

Result<StressReport> run_mode(os::Os& os, const machine::Machine& machine, const StressPlan& plan,
                              StressMode mode) {
  const auto daemons = StressDaemons::start(
      os, {mode == StressMode::kernel, mode == StressMode::numad, plan.options.numad_interval_s});
  if (!daemons) return daemons.as_unexpected();
  if (mode != StressMode::membind) return run_stress(os, machine, plan);
  const SavedPlace before(os);
  const placement::Policy bind{placement::PolicyKind::bind, plan.membind, false};
  if (auto bound = actuation::set_process_policy(os, bind); !bound) return bound.as_unexpected();
  return run_stress(os, machine, plan);
}

}  // namespace

std::string to_string(StressMode mode) {
  return name_of(stress_modes, mode);
}

Result<std::vector<StressMode>> parse_modes(const StressOptions& options) {
  std::vector<StressMode> modes;
  std::string_view rest = options.modes;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto* const found = std::ranges::find_if(
        stress_modes, [&](const auto& choice) { return word == choice.first; });
    if (found == stress_modes.end()) {
      return bad_usage(fmt::format("there is no mode '{}'", word),
                       "choose from plain, numad, membind, kernel");
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

Result<std::vector<ModeReport>> run_modes(os::Os& os, const machine::Machine& machine,
                                          const StressPlan& plan,
                                          const std::vector<StressMode>& modes) {
  std::vector<ModeReport> reports;
  for (StressMode mode : modes) {
    auto report = run_mode(os, machine, plan, mode);
    if (!report) return report.as_unexpected();
    reports.push_back({mode, *std::move(report)});
  }
  return reports;
}

}  // namespace homenode::trial
