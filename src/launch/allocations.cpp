#include "launch/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/id_list.h"
#include "base/sizes.h"
#include "launch/agent.h"
#include "placement/policies/weights.h"

namespace homenode::launch {
namespace {

using placement::DistributionRule;
using placement::PageMap;

constexpr std::string_view weighted = "weighted";

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

/// The least size that the condition "size>N" or "size>=N" holds for.
std::optional<std::uint64_t> least_size(std::string_view condition) {
  if (!take(condition, ">")) return std::nullopt;
  const bool or_equal = take(condition, "=");
  const auto size = parse_size(condition);
  if (!size || (!or_equal && size->value == UINT64_MAX)) return std::nullopt;
  return or_equal ? size->value : size->value + 1;
}

bool parse_name(std::string_view condition, std::vector<std::string>& names) {
  if (!take(condition, "=") || condition.empty()) return false;
  names.emplace_back(condition);
  return true;
}

bool parse_condition(std::string_view condition, AllocationRule& rule,
                     std::optional<std::uint64_t>& at_least) {
  if (take(condition, "name")) return parse_name(condition, rule.names);
  if (take(condition, "from")) return parse_name(condition, rule.from);
  if (at_least || !take(condition, "size")) return false;
  at_least = least_size(condition);
  return at_least.has_value();
}

/// The first comma that does not stand in the arguments of a C++ template (pool<int, 4>).
std::size_t find_comma(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && depth > 0) --depth;
    if (text[at] == ',' && depth == 0) return at;
  }
  return std::string_view::npos;
}

/// Conditions, separated by commas. Without a size a name is for all that has it, and a function
/// for what glibc gives a mapping of its own.
bool parse_conditions(std::string_view text, AllocationRule& rule) {
  constexpr std::uint64_t own_mapping_bytes = std::uint64_t{128} << 10U;
  std::optional<std::uint64_t> at_least;
  for (;;) {
    const std::size_t comma = find_comma(text);
    if (!parse_condition(trim(text.substr(0, comma)), rule, at_least)) return false;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  rule.at_least_bytes = at_least.value_or(rule.from.empty() ? 1 : own_mapping_bytes);
  return rule.names.empty() || rule.from.empty();
}

/// Where the conditions end: at the first colon that does not stand in a C++ name (ns::u).
std::size_t find_rule(std::string_view text) {
  for (std::size_t at = 0; (at = text.find(':', at)) != std::string_view::npos; at += 2) {
    if (at + 1 >= text.size() || text[at + 1] != ':') return at;
  }
  return std::string_view::npos;
}

/// After how many pages a distribution begins anew; 0 when it never does. The formulas are those of
/// placement/distributions/distribution.h; the test compares the patterns with the maps.
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

Unexpected too_long(std::string_view text) {
  return not_supported(fmt::format("--place cannot carry out '{}': its pattern is too long", text),
                       "choose larger blocks, fewer runs, a smaller prime or smaller weights");
}

std::string wire_random(const DistributionRule& rule) {
  const auto& numbers = rule.parameters;
  return fmt::format("random:{},{}:{}", numbers.empty() ? 0 : numbers[0],
                     numbers.size() < 2 ? 1 : numbers[1], to_list(rule.nodes));
}

Result<std::string> wire_distribution(const DistributionRule& rule, std::string_view text) {
  if (rule.name == "block") return "block:" + to_list(rule.nodes);
  if (rule.name == "random") return wire_random(rule);
  const std::uint64_t period = period_pages(rule);
  if (period == 0 || period > max_pattern_pages) return too_long(text);
  const auto map = placement::resolve({rule}, period);
  if (!map) return map.as_unexpected();
  std::size_t runs = 0;
  std::string pattern = pattern_of(std::get<PageMap>(*map), runs);
  if (runs > max_pattern_runs) return too_long(text);
  return "pattern:" + pattern;
}

Result<std::string> wire_map(const placement::ExplicitRule& rule, std::string_view text) {
  if (rule.runs.size() > max_pattern_runs) return too_long(text);
  std::string map = "map:";
  for (const placement::Run& run : rule.runs) {
    if (run.pages == 0) continue;
    map += fmt::format("{}{}x{}", map.ends_with(':') ? "" : ",", run.pages, run.node.value());
  }
  if (!map.ends_with(':')) return map;
  return bad_usage(fmt::format("the map of --place '{}' has no page", text),
                   "write runs of pages, as in map:64x0,64x1");
}

/// The rule as the agent reads it, without what it is for.
Result<std::string> wire_rule(const placement::MemoryRule& rule, std::string_view text) {
  if (const auto* policy = std::get_if<placement::Policy>(&rule.how)) {
    std::string wire = "policy:" + wire_policy(*policy);
    if (policy->home_node) wire += fmt::format("^{}", policy->home_node->value());
    return wire;
  }
  if (const auto* distribution = std::get_if<DistributionRule>(&rule.how)) {
    return wire_distribution(*distribution, text);
  }
  if (const auto* map = std::get_if<placement::ExplicitRule>(&rule.how)) {
    return wire_map(*map, text);
  }
  return not_supported(
      fmt::format("--place cannot carry out '{}': memory that is not touched yet goes to its first "
                  "toucher by the policy local, and to arm it later would make system calls fail "
                  "that read into it",
                  text),
      "write local, or arm the arrays with the library where the program is done with filling "
      "them");
}

const machine::PairValues* bandwidths_of(const machine::Machine& machine) {
  const auto* const reads = machine.find(machine::MatrixKind::read_bandwidth);
  return reads != nullptr ? reads : machine.find(machine::MatrixKind::bandwidth);
}

/// What the source that gets most out of the node gets; 0 where nobody says.
double best_bandwidth(const machine::PairValues& values, NodeId node) {
  double best = 0;
  for (NodeId from : values.values.rows()) {
    if (!values.values.has(from, node)) continue;
    const double bandwidth = values.values.at(from, node);
    if (!std::isnan(bandwidth)) best = std::max(best, bandwidth);
  }
  return best;
}

}  // namespace

Result<void> check_allowed(const machine::Machine& machine, const placement::MemoryRule& rule,
                           std::string_view text) {
  const NodeSet allowed = machine.allowed_nodes & machine.nodes_with_memory();
  const NodeSet named = nodes_named(rule);
  if (named.is_subset_of(allowed)) return {};
  return bad_usage(fmt::format("cannot use '{}': the nodes {} do not exist, have no memory or are "
                               "not allowed here",
                               text, to_list(named - allowed)),
                   "choose among the nodes " + to_list(allowed));
}

Result<placement::MemoryRule> parse_allowed_rule(const machine::Machine& machine,
                                                 std::string_view text) {
  auto rule =
      placement::parse_memory_rule(text, machine.allowed_nodes & machine.nodes_with_memory());
  if (!rule) return rule;
  if (const auto allowed = check_allowed(machine, *rule, text); !allowed) {
    return allowed.as_unexpected();
  }
  return rule;
}

bool asks_for_machine_weights(std::string_view text) {
  const std::size_t colon = find_rule(text);
  if (colon == std::string_view::npos) return false;
  const std::string_view rule = trim(text.substr(colon + 1));
  return rule == weighted || rule.starts_with("weighted@");
}

Result<std::string> with_machine_weights(const machine::Machine& machine, std::string_view rule) {
  NodeSet nodes = machine.allowed_nodes & machine.nodes_with_memory();
  if (const std::size_t at = rule.find('@'); at != std::string_view::npos) {
    const auto named = parse_node_list(rule.substr(at + 1));
    if (!named || named->empty()) {
      return bad_usage(fmt::format("cannot read the nodes of '{}'", rule),
                       "write them as a list such as 0-3,8");
    }
    nodes = *named;
  }
  const machine::PairValues* const values = bandwidths_of(machine);
  std::map<NodeId, double> bandwidths;
  for (NodeId node : nodes.to_vector()) {
    const double bandwidth = values == nullptr ? 0 : best_bandwidth(*values, node);
    if (bandwidth > 0) {
      bandwidths[node] = bandwidth;
      continue;
    }
    return not_supported(
        fmt::format("'{}' takes its weights from the machine, which does not know the bandwidth of "
                    "node {}",
                    rule, node.value()),
        "write weights (weighted:2,1), or measure them: 'homenode measure --output machine.xml', "
        "and "
        "set HWLOC_XMLFILE=machine.xml HWLOC_THISSYSTEM=1");
  }
  const placement::Weights weights = placement::best_weights(bandwidths);
  std::string text;
  for (const auto& [node, weight] : weights.of_node) {
    text += fmt::format("{}{}", text.empty() ? "weighted:" : ",", weight);
  }
  return fmt::format("{}@{}", text, to_list(nodes));
}

Result<AllocationRule> parse_allocation_rule(const machine::Machine& machine,
                                             std::string_view text) {
  AllocationRule parsed;
  const std::size_t colon = find_rule(text);
  if (colon == std::string_view::npos || !parse_conditions(text.substr(0, colon), parsed)) {
    return bad_usage(fmt::format("cannot read the condition of --place '{}'", text),
                     "write what to place and how, such as 'size>64M: cyclic', 'name=u: block' or "
                     "'from=alloc_3d, size>=2G: interleave@0-1'");
  }
  std::string rule_text(trim(text.substr(colon + 1)));
  if (asks_for_machine_weights(text)) {
    auto with_weights = with_machine_weights(machine, rule_text);
    if (!with_weights) return with_weights.as_unexpected();
    rule_text = *std::move(with_weights);
  }
  const auto rule = parse_allowed_rule(machine, rule_text);
  if (!rule) return rule.as_unexpected();
  auto wire = wire_rule(*rule, text);
  if (!wire) return wire.as_unexpected();
  parsed.rule = placement::to_string(*rule);
  parsed.wire = *std::move(wire);
  return parsed;
}

}  // namespace homenode::launch
