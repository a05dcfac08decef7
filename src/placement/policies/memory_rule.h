// A rule for memory in one line of text: what every option, function and file of homenode says
// about where pages go, and how it says it. Pure; serves the command line, the C interface, the
// agent and actuation.
//
//   NAME[:PARAMETER[,PARAMETER...]][@NODES]
//
// policies of the kernel   default, local, bind[:home=N][,balancing], preferred,
//                          preferred-many[:home=N], interleave, weighted-interleave
// page maps of our own     the distributions (distribution_table.h), such as block or cyclic:4, and
//                          map:PAGESxNODE,PAGESxNODE,...
// next-touch[:PAGES]       each unit of so many pages goes to the node that touches it next
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "placement/distributions/distribution.h"
#include "placement/policies/policy.h"

namespace homenode::placement {

/// A distribution of the table, by name.
struct DistributionRule {
  std::string name;
  std::vector<std::uint64_t> parameters;  ///< As many as were given.
  NodeSet nodes;                          ///< Taken in increasing order.
  friend bool operator==(const DistributionRule&, const DistributionRule&) = default;
};

/// Page by page, in runs.
struct ExplicitRule {
  std::vector<Run> runs;
  friend bool operator==(const ExplicitRule&, const ExplicitRule&) = default;
};

/// Armed by actuation/next_touch.h; it has no map in advance.
struct NextTouchRule {
  std::size_t unit_pages = 1;  ///< How many pages move together.
  friend bool operator==(const NextTouchRule&, const NextTouchRule&) = default;
};

struct MemoryRule {
  std::variant<Policy, DistributionRule, ExplicitRule, NextTouchRule> how;
  friend bool operator==(const MemoryRule&, const MemoryRule&) = default;
};

/// Reads a rule; `default_nodes` (those with memory that the process may use) stand in where none
/// are named. Errors: bad_usage with what exists, or what the rule takes.
Result<MemoryRule> parse_memory_rule(std::string_view text, const NodeSet& default_nodes);

/// The rule with all its nodes; parse_memory_rule() gives the same rule back, whatever its default.
std::string to_string(const MemoryRule& rule);

/// Every node that the rule names; none for next-touch.
NodeSet nodes_named(const MemoryRule& rule);

/// What to do with a region of so many pages: the kernel's policy, or our map. Errors: bad_usage
/// when an explicit map is not of that size, or for next-touch, which neither of them can say.
Result<std::variant<Policy, PageMap>> resolve(const MemoryRule& rule, std::size_t pages);

[[nodiscard]] bool is_next_touch(const MemoryRule& rule);

/// All names with what may follow them, for help: "default, local, bind[:home=N]…, block, …".
std::string memory_rule_grammar();

}  // namespace homenode::placement
