#include "cli/bench_stress_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "actuation/process.h"
#include "cli/bench_stress_daemons.h"
#include "cli/bench_stress_render.h"
#include "cli/choice_option.h"
#include "cli/own_place.h"

namespace homenode::cli {
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

std::string range_of(const std::vector<std::uint64_t>& counts) {
  const auto [least, most] = std::ranges::minmax(counts);
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
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
                       "choose of: plain, numad, membind, kernel");
    }
    if (std::ranges::find(modes, found->second) != modes.end()) {
      return bad_usage(fmt::format("the mode {} is named twice", word), "name it once");
    }
    modes.push_back(found->second);
  }
  const bool binds = std::ranges::find(modes, StressMode::membind) != modes.end();
  if (binds == options.membind.empty()) {
    return bad_usage("the mode membind and the nodes to bind to belong together",
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

std::string modes_json(const std::vector<ModeReport>& reports) {
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const ModeReport& each : reports) {
    modes.push_back({{"mode", to_string(each.mode)},
                     {"report", nlohmann::ordered_json::parse(stress_json(each.report))}});
  }
  const nlohmann::ordered_json json{{"schema", "homenode.bench.stress.modes/1"}, {"modes", modes}};
  return json.dump() + '\n';
}

std::string modes_text(const std::vector<ModeReport>& reports) {
  std::string text = stress_headline(reports.front().report.plan);
  text += fmt::format("\n{:<8} {:>14} {:>14} {:>16} {:>20}  {}\n", "mode", "pages moved",
                      "useless moves", "moved, system", "local % start, end", "cycles");
  for (const ModeReport& each : reports) {
    const StressReport& report = each.report;
    const auto& moves = report.moves;
    const auto& migrated = report.system_moves.migrated;
    text += fmt::format("{:<8} {:>14} {:>14} {:>16} {:>20}  {}\n", to_string(each.mode),
                        fmt::format("{} of {}", moves.pages_moved, report.sampled_pages.size()),
                        fmt::format("{} of {}", moves.useless(), moves.moves()),
                        migrated ? std::to_string(*migrated) : "not counted",
                        fmt::format("{:.1f}, {:.1f}", 100.0 * report.local_shares.front(),
                                    100.0 * report.local_shares.back()),
                        range_of(report.cycles));
  }
  return text + "Contents verified in each mode.\n";
}

}  // namespace homenode::cli
