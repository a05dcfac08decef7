#include "balancer/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::balancer {
namespace {

using balance::Limits;

/// A number that the file may set.
struct Setting {
  const char* name;
  std::variant<double Limits::*, int Limits::*, Bytes Limits::*, std::optional<double> Config::*>
      target;
  double least;
  double most;
};

constexpr double many = 1e12;
constexpr double day_s = 86400;

constexpr std::array settings{
    Setting{"interval", &Config::interval_s, 0.01, day_s},
    Setting{"burst", &Config::burst_s, 0.01, day_s},
    Setting{"overhead", &Config::overhead, 0, 100},
    Setting{"least-cpus", &Limits::least_cpus, 0, many},
    Setting{"least-age", &Limits::least_age_s, 0, many},
    Setting{"least-memory", &Limits::least_memory, 0, many},
    Setting{"least-remote-share", &Limits::least_remote_share, 0, 1},
    Setting{"least-samples", &Limits::least_samples, 1, many},
    Setting{"least-region-samples", &Limits::least_region_samples, 1, many},
    Setting{"exclusive-share", &Limits::exclusive_share, 0, 1},
    Setting{"mostly-share", &Limits::mostly_share, 0, 1},
    Setting{"windows", &Limits::windows, 1, 100},
    Setting{"agreed-share", &Limits::agreed_share, 0, 1},
    Setting{"least-split", &Limits::least_split, 0, 1},
    Setting{"heavy-share", &Limits::heavy_share, 0, 1},
    Setting{"least-sure-share", &Limits::least_sure_share, 0, 1},
    Setting{"sureness", &Limits::sureness, 0, 10},
    Setting{"alike", &Limits::alike, 0, 1},
    Setting{"decay", &Limits::decay, 0, 1},
    Setting{"most-unseen", &Limits::most_unseen, 0, 100},
    Setting{"most-handovers", &Limits::most_handovers, 0, 100},
    Setting{"most-failed-plans", &Limits::most_failed_plans, 1, 100},
    Setting{"least-gain", &Limits::least_gain, 0, 1},
    Setting{"least-more-gain", &Limits::least_more_gain, 0, 1},
    Setting{"benefit-over-cost", &Limits::benefit_over_cost, 0, many},
    Setting{"most-horizon", &Limits::most_horizon_s, 0, many},
    Setting{"local-over-busiest", &Limits::local_over_busiest, 0, many},
    Setting{"least-spread-cpus", &Limits::least_spread_cpus, 0, many},
    Setting{"misses-per-cpu-second", &Limits::misses_per_cpu_s, 0, many},
    Setting{"most-cost-share", &Limits::most_cost_share, 0, 1},
    Setting{"most-bounces", &Limits::most_bounces, 0, 100},
    Setting{"least-free-share", &Limits::least_free_share, 0, 1},
    Setting{"least-of-promise", &Limits::least_of_promise, 0, 1},
    Setting{"new-phase", &Limits::new_phase, 1, many},
    Setting{"cool-down", &Limits::cool_down_s, 0, many},
    Setting{"region-cool-down", &Limits::region_cool_down_s, 0, many},
};

struct NameList {
  const char* name;
  Names Config::*names;
  std::vector<std::string> Names::*list;
};

constexpr std::array name_lists{
    NameList{"only-user", &Config::only, &Names::users},
    NameList{"only-cgroup", &Config::only, &Names::cgroups},
    NameList{"only-program", &Config::only, &Names::programs},
    NameList{"never-user", &Config::never, &Names::users},
    NameList{"never-cgroup", &Config::never, &Names::cgroups},
    NameList{"never-program", &Config::never, &Names::programs},
};

/// "0.05", or "5%" for the same.
std::optional<double> decimal_in(std::string_view text) {
  constexpr double percent = 0.01;
  const bool in_percent = text.ends_with('%');
  if (in_percent) text.remove_suffix(1);
  const auto number = real_in(text);
  return number && in_percent ? std::optional(*number * percent) : number;
}

bool is_size(const Setting& setting) {
  return std::holds_alternative<Bytes Limits::*>(setting.target);
}

bool is_whole(const Setting& setting) {
  return std::holds_alternative<int Limits::*>(setting.target);
}

/// Nothing where the text is none or out of bounds.
std::optional<double> value_of(const Setting& setting, std::string_view text) {
  std::optional<double> value;
  if (is_size(setting)) {
    if (const auto size = parse_size(text)) value = static_cast<double>(size->value);
  } else if (is_whole(setting)) {
    if (const auto number = number_in<int>(text)) value = *number;
  } else {
    value = decimal_in(text);
  }
  const bool fits = value && *value >= setting.least && *value <= setting.most;
  return fits ? value : std::nullopt;
}

std::string what_fits(const Setting& setting) {
  if (is_size(setting)) return "write a size such as 64M";
  const char* const kind = is_whole(setting) ? "whole number" : "number";
  if (setting.most == many) return fmt::format("write a {} of at least {}", kind, setting.least);
  return fmt::format("write a {} from {} to {}", kind, setting.least, setting.most);
}

struct Assign {
  Config& config;
  double value;
  void operator()(double Limits::*limit) const { config.limits.*limit = value; }
  void operator()(int Limits::*limit) const { config.limits.*limit = static_cast<int>(value); }
  void operator()(Bytes Limits::*limit) const {
    config.limits.*limit = Bytes{static_cast<std::uint64_t>(value)};
  }
  void operator()(std::optional<double> Config::*own) const { config.*own = value; }
};

Result<void> set_name(Config& config, const NameList& list, std::string_view value) {
  constexpr std::size_t longest_program = 15;
  if (list.list == &Names::cgroups && !value.starts_with('/')) {
    return failed(fmt::format("'{}' is no path of a cgroup", printable(std::string(value))),
                  "write it as /proc/PID/cgroup does, such as /user.slice");
  }
  // The kernel keeps no more of a name, which then would never be found.
  if (list.list == &Names::programs) value = value.substr(0, longest_program);
  (config.*list.names.*list.list).emplace_back(value);
  return {};
}

Unexpected unknown(const std::string& name) {
  std::vector<std::string> known;
  for (const Setting& setting : settings) known.emplace_back(setting.name);
  for (const NameList& list : name_lists) known.emplace_back(list.name);
  const std::string meant = nearest_word(name, known);
  return failed(fmt::format("there is no setting '{}'", printable(name)),
                meant.empty() ? "homenode-balance(5) lists them" : "did you mean '" + meant + "'?");
}

/// What is left of a line without its comment is not empty.
Result<void> take(Config& config, std::set<std::string>& given, std::string_view line) {
  const bool assigns = line.find('=') != std::string_view::npos;
  const std::string name(trimmed(take_until(line, '=')));
  const std::string_view value = trimmed(line);
  if (!assigns || value.empty()) {
    return failed(fmt::format("'{}' has no value", printable(name)), "write NAME = VALUE");
  }
  const auto is_named = [&](const auto& row) { return row.name == name; };
  if (const auto* const list = std::ranges::find_if(name_lists, is_named);
      list != name_lists.end()) {
    return set_name(config, *list, value);
  }
  const auto* const setting = std::ranges::find_if(settings, is_named);
  if (setting == settings.end()) return unknown(name);
  if (!given.insert(name).second) return failed(name + " is set twice", "leave one out");
  const auto number = value_of(*setting, value);
  if (!number) {
    return failed(fmt::format("'{}' is no value of {}", printable(std::string(value)), name),
                  what_fits(*setting));
  }
  std::visit(Assign{config, *number}, setting->target);
  return {};
}

}  // namespace

Result<Config> config_in(std::string_view text) {
  Config config;
  std::set<std::string> given;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    line = trimmed(take_until(line, '#'));
    if (line.ends_with('\r')) line = trimmed(line.substr(0, line.size() - 1));
    if (line.empty()) continue;
    if (const auto taken = take(config, given, line); !taken) {
      return failed(fmt::format("line {}: {}", number, taken.error().tried), taken.error().next);
    }
  }
  return config;
}

Result<Config> read_config(os::Os& os, const std::string& path) {
  std::string text;
  if (const int result = os.read_file(path, text); result < 0) {
    return failed("cannot read the configuration " + path, "check its name and mode", -result);
  }
  auto config = config_in(text);
  if (config) return config;
  return failed(path + ", " + config.error().tried, config.error().next);
}

}  // namespace homenode::balancer
