// What the kernel can do with pages by itself. Pure; serves placement, actuation and model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id_set.h"
#include "base/result.h"

namespace homenode::placement {

enum class PolicyKind {
  default_policy,  ///< First touch, with fallback; clears whatever was set.
  local,           ///< The node of the CPU that allocates.
  bind,            ///< Only these nodes.
  preferred,       ///< One node first, any other when it is full.
  preferred_many,  ///< A set of nodes first, any other when they are full (kernel 5.15).
  interleave,      ///< Page by page over the nodes.
  /// As many pages in turn on each node as its weight in sysfs says, which root sets for all
  /// (kernel 6.9). The distribution `weighted` has weights of its own.
  weighted_interleave,
};

struct Policy {
  PolicyKind kind = PolicyKind::default_policy;
  NodeSet nodes;                ///< Empty for default and local.
  bool numa_balancing = false;  ///< MPOL_F_NUMA_BALANCING: let the kernel migrate within the set.
  /// Where bind and preferred-many look first, or next to which, instead of at the node of the CPU
  /// that allocates (kernel 5.17). It need not be one of the nodes. It belongs to an address range:
  /// no process or thread can have one.
  std::optional<NodeId> home_node = std::nullopt;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The kinds' names in help, JSON and errors: default, local, bind, …
[[nodiscard]] std::string to_string(PolicyKind kind);
/// The kind of that name, if there is one.
[[nodiscard]] std::optional<PolicyKind> find_policy_kind(std::string_view name);
/// True for the kinds that have nodes of their own.
[[nodiscard]] bool takes_nodes(PolicyKind kind);

/// Errors: bad_usage for nodes with default/local, no nodes with the others, several with
/// preferred; for balancing without bind; for a home node without bind or preferred-many.
Result<void> validate(const Policy& policy);

}  // namespace homenode::placement
