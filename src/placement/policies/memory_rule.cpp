#include "placement/policies/memory_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/id_list.h"
#include "base/sizes.h"
#include "placement/distributions/table.h"

namespace homenode::placement {
namespace {

/// A rule's text, taken apart: NAME[:PARAMETERS][@NODES].
struct Words {
  std::string_view whole;
  std::string_view name;
  std::optional<std::string_view> parameters;
  std::optional<std::string_view> nodes;
};

Words take_apart(std::string_view text) {
  Words words{text, text, std::nullopt, std::nullopt};
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    words.nodes = text.substr(at + 1);
    text = text.substr(0, at);
  }
  words.name = text;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    words.name = text.substr(0, colon);
    words.parameters = text.substr(colon + 1);
  }
  return words;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<NodeId> node_number(std::string_view text) {
  const auto value = number_in(text);
  if (!value || *value > max_list_id) return std::nullopt;
  return NodeId(static_cast<unsigned>(*value));
}

Unexpected unreadable(const Words& words, std::string_view what, std::string next) {
  return bad_usage(fmt::format("cannot read '{}' in the memory rule '{}'", what, words.whole),
                   std::move(next));
}

Result<NodeSet> nodes_of(const Words& words, const NodeSet& default_nodes) {
  if (!words.nodes) {
    if (!default_nodes.empty()) return default_nodes;
    return bad_usage(fmt::format("the memory rule '{}' names no nodes, and no node with memory "
                                 "is known",
                                 words.whole),
                     "name them, as in " + std::string(words.name) + "@0-3");
  }
  auto nodes = parse_node_list(*words.nodes);
  if (nodes && !nodes->empty()) return nodes;
  return unreadable(words, *words.nodes, "write the nodes as a list such as 0-3,8");
}

Result<MemoryRule> parse_policy(PolicyKind kind, const Words& words, const NodeSet& default_nodes) {
  Policy policy{kind, {}};
  if (words.parameters) {
    for (std::string_view part : split_at_commas(*words.parameters)) {
      const auto home =
          part.starts_with("home=") ? node_number(part.substr(5)) : std::optional<NodeId>{};
      if (part == "balancing" && !policy.numa_balancing) {
        policy.numa_balancing = true;
      } else if (home && !policy.home_node) {
        policy.home_node = home;
      } else {
        return unreadable(words, part,
                          "a policy takes only home=NODE and balancing, each at most once");
      }
    }
  }
  if (takes_nodes(kind) || words.nodes) {
    auto nodes = nodes_of(words, default_nodes);
    if (!nodes) return nodes.as_unexpected();
    policy.nodes = *std::move(nodes);
  }
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  return MemoryRule{policy};
}

Result<MemoryRule> parse_distribution(const Distribution& distribution, const Words& words,
                                      const NodeSet& default_nodes) {
  DistributionRule rule{std::string(distribution.name), {}, {}};
  if (words.parameters) {
    for (std::string_view part : split_at_commas(*words.parameters)) {
      const auto value = number_in(part);
      if (!value) {
        return unreadable(
            words, part,
            fmt::format("write numbers: {}{}[@NODES]", distribution.name, distribution.grammar));
      }
      rule.parameters.push_back(*value);
    }
  }
  auto nodes = nodes_of(words, default_nodes);
  if (!nodes) return nodes.as_unexpected();
  rule.nodes = *std::move(nodes);
  if (const auto fits = distribution.check(rule.nodes.to_vector(), rule.parameters); !fits) {
    return fits.as_unexpected();
  }
  return MemoryRule{std::move(rule)};
}

Result<MemoryRule> parse_map(const Words& words) {
  constexpr const char* form = "write the map in runs, as in map:64x0,64x1";
  if (words.nodes)
    return unreadable(words, *words.nodes, "a map names its nodes itself; leave @ out");
  if (!words.parameters) return unreadable(words, words.name, form);
  ExplicitRule rule;
  for (std::string_view part : split_at_commas(*words.parameters)) {
    const std::size_t times = part.find('x');
    const auto pages = number_in(part.substr(0, times));
    const auto node = times == std::string_view::npos ? std::optional<NodeId>{}
                                                      : node_number(part.substr(times + 1));
    if (!pages || !node) return unreadable(words, part, form);
    rule.runs.push_back({*pages, *node});
  }
  return MemoryRule{std::move(rule)};
}

Result<MemoryRule> parse_next_touch(const Words& words) {
  if (words.nodes) {
    return unreadable(words, *words.nodes, "next-touch takes no nodes; leave @ out");
  }
  const auto pages = number_in(words.parameters.value_or("1"));
  if (pages && *pages > 0 && *pages <= (std::uint64_t{1} << 20U)) {
    return MemoryRule{NextTouchRule{*pages}};
  }
  return unreadable(words, *words.parameters,
                    "write how many pages move together, from 1 to 1048576");
}

std::string print(const Policy& policy) {
  std::string text = to_string(policy.kind);
  char before = ':';
  if (policy.home_node) {
    text += fmt::format("{}home={}", before, policy.home_node->value());
    before = ',';
  }
  if (policy.numa_balancing) text += fmt::format("{}balancing", before);
  if (!policy.nodes.empty()) text += fmt::format("@{}", to_list(policy.nodes));
  return text;
}

std::string print(const DistributionRule& rule) {
  return fmt::format("{}{}{}@{}", rule.name, rule.parameters.empty() ? "" : ":",
                     fmt::join(rule.parameters, ","), to_list(rule.nodes));
}

std::string print(const ExplicitRule& rule) {
  std::string text = "map";
  char before = ':';
  for (const Run& run : rule.runs) {
    text += fmt::format("{}{}x{}", before, run.pages, run.node.value());
    before = ',';
  }
  return text;
}

std::string print(const NextTouchRule& rule) {
  return fmt::format("next-touch:{}", rule.unit_pages);
}

}  // namespace

Result<MemoryRule> parse_memory_rule(std::string_view text, const NodeSet& default_nodes) {
  const Words words = take_apart(text);
  if (words.name == "map") return parse_map(words);
  if (words.name == "next-touch") return parse_next_touch(words);
  if (const auto kind = find_policy_kind(words.name)) {
    return parse_policy(*kind, words, default_nodes);
  }
  for (const Distribution& distribution : distributions()) {
    if (distribution.name == words.name) {
      return parse_distribution(distribution, words, default_nodes);
    }
  }
  return bad_usage(fmt::format("there is no memory rule '{}' (in '{}')", words.name, words.whole),
                   "choose one of: " + memory_rule_grammar());
}

std::string to_string(const MemoryRule& rule) {
  return std::visit([](const auto& how) { return print(how); }, rule.how);
}

Result<std::variant<Policy, PageMap>> resolve(const MemoryRule& rule, std::size_t pages) {
  using Resolved = std::variant<Policy, PageMap>;
  if (const auto* policy = std::get_if<Policy>(&rule.how)) return Resolved(*policy);
  if (const auto* runs = std::get_if<ExplicitRule>(&rule.how)) {
    auto map = explicit_map(pages, runs->runs);
    if (!map) return map.as_unexpected();
    return Resolved(*std::move(map));
  }
  if (const auto* spread = std::get_if<DistributionRule>(&rule.how)) {
    const auto distribution = find_distribution(spread->name);
    if (!distribution) return distribution.as_unexpected();
    const std::vector<NodeId> nodes = spread->nodes.to_vector();
    if (const auto fits = distribution->check(nodes, spread->parameters); !fits) {
      return fits.as_unexpected();
    }
    return Resolved(distribution->map(pages, nodes, spread->parameters));
  }
  return bad_usage(
      "next-touch has no page map in advance: pages go to the threads that touch "
      "them",
      "use a policy or a distribution here");
}

NodeSet nodes_named(const MemoryRule& rule) {
  NodeSet named;
  if (const auto* policy = std::get_if<Policy>(&rule.how)) {
    named = policy->nodes;
    if (policy->home_node) named.insert(*policy->home_node);
  } else if (const auto* distribution = std::get_if<DistributionRule>(&rule.how)) {
    named = distribution->nodes;
  } else if (const auto* map = std::get_if<ExplicitRule>(&rule.how)) {
    for (const Run& run : map->runs) named.insert(run.node);
  }
  return named;
}

bool is_next_touch(const MemoryRule& rule) {
  return std::holds_alternative<NextTouchRule>(rule.how);
}

std::string memory_rule_grammar() {
  std::string text =
      "default, local, bind[:home=NODE][,balancing], preferred, preferred-many[:home=NODE], "
      "interleave, weighted-interleave";
  for (const Distribution& distribution : distributions()) {
    text += fmt::format(", {}{}", distribution.name, distribution.grammar);
  }
  return text + ", map:PAGESxNODE,..., next-touch[:PAGES]";
}

}  // namespace homenode::placement
