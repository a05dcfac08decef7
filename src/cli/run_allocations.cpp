#include "cli/run_allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/id_list.h"
#include "cli/run_threads_wire.h"

namespace homenode::cli {
namespace {

using placement::DistributionRule;
using placement::PageMap;

/// A longer pattern would not fit beside the rest into the environment.
constexpr std::uint64_t max_pattern_pages = 1U << 20U;
constexpr std::size_t max_pattern_runs = 4096;

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  text = trim(text);
  return true;
}

/// 64M, 64MiB, 1048576; nothing when it is no size.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t power = std::string_view("KMGT").find(text.front());
    const std::string_view unit = text.substr(1);
    if (power == std::string_view::npos || !(unit.empty() || unit == "iB" || unit == "B")) {
      return std::nullopt;
    }
    shift = 10 * (static_cast<unsigned>(power) + 1);
  }
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

/// The least size that the condition "size>N" or "size>=N" holds for.
std::optional<std::uint64_t> parse_condition(std::string_view condition) {
  if (!take(condition, "size") || !take(condition, ">")) return std::nullopt;
  const bool or_equal = take(condition, "=");
  const auto bytes = parse_bytes(condition);
  if (!bytes || (!or_equal && *bytes == UINT64_MAX)) return std::nullopt;
  return or_equal ? *bytes : *bytes + 1;
}

/// After how many pages a distribution begins anew; 0 when it never does. The formulas are those of
/// placement/distribution.h; the test compares the patterns with the maps.
std::uint64_t period_pages(const DistributionRule& rule) {
  const std::uint64_t nodes = rule.nodes.size();
  const auto parameter = [&rule](std::size_t index, std::uint64_t otherwise) {
    return index < rule.parameters.size() ? rule.parameters[index] : otherwise;
  };
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    return a > max_pattern_pages || b > max_pattern_pages ? max_pattern_pages + 1 : a * b;
  };
  if (rule.name == "cyclic") return product(nodes, parameter(0, 1));
  if (rule.name == "skew") return product(product(nodes, nodes), parameter(0, 1));
  if (rule.name == "prime") {
    const std::uint64_t prime = parameter(0, placement::prime_above(nodes));
    return product(product(nodes, prime), parameter(1, 1));
  }
  if (rule.name == "weighted") {
    std::uint64_t sum = 0;
    for (std::uint64_t weight : rule.parameters) {
      sum = weight > max_pattern_pages ? max_pattern_pages + 1 : sum + weight;
    }
    return sum;
  }
  return 0;
}

std::string pattern_of(const PageMap& map, std::size_t& runs) {
  std::string text;
  runs = 0;
  for (std::size_t first = 0; first < map.size();) {
    std::size_t end = first;
    while (end < map.size() && map[end] == map[first]) ++end;
    text += fmt::format("{}{}x{}", runs == 0 ? "" : ",", end - first, map[first].value());
    ++runs;
    first = end;
  }
  return text;
}

/// The rule as the agent reads it, without the size.
Result<std::string> wire_rule(const placement::MemoryRule& rule, std::string_view text) {
  if (const auto* policy = std::get_if<placement::Policy>(&rule.how)) {
    if (!policy->home_node) return "policy:" + wire_policy(*policy);
    return not_supported(fmt::format("--place cannot give a home node, as '{}' asks", text),
                         "leave home= out");
  }
  const auto* distribution = std::get_if<DistributionRule>(&rule.how);
  if (distribution != nullptr && distribution->name == "block") {
    return "block:" + to_list(distribution->nodes);
  }
  const std::uint64_t period = distribution == nullptr ? 0 : period_pages(*distribution);
  if (period == 0 || period > max_pattern_pages) {
    return not_supported(
        fmt::format(
            "--place cannot carry out '{}' inside a program: {}", text,
            period == 0 ? "its map is not one pattern again and again" : "its pattern is too long"),
        "choose a policy, block, cyclic, skew, prime or weighted, or place from inside with the "
        "library");
  }
  const auto map = placement::resolve(rule, period);
  if (!map) return map.as_unexpected();
  std::size_t runs = 0;
  std::string pattern = pattern_of(std::get<PageMap>(*map), runs);
  if (runs <= max_pattern_runs) return "pattern:" + pattern;
  return not_supported(fmt::format("--place cannot carry out '{}': its pattern is too long", text),
                       "choose larger blocks, a smaller prime or smaller weights");
}

}  // namespace

Result<AllocationRule> parse_allocation_rule(const machine::Machine& machine,
                                             std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto bytes = parse_condition(trim(text.substr(0, colon)));
  if (!bytes || colon == std::string_view::npos) {
    return bad_usage(fmt::format("cannot read the condition of --place '{}'", text),
                     "write a size and a rule, such as 'size>64M: cyclic' or 'size>=2G: "
                     "interleave@0-1'");
  }
  const auto rule = parse_allowed_rule(machine, trim(text.substr(colon + 1)));
  if (!rule) return rule.as_unexpected();
  auto wire = wire_rule(*rule, text);
  if (!wire) return wire.as_unexpected();
  return AllocationRule{*bytes, placement::to_string(*rule), *std::move(wire)};
}

}  // namespace homenode::cli
