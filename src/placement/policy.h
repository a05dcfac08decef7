// What the kernel can do with pages by itself. Pure; serves placement, actuation and model.
#pragma once

#include <string>

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
};

struct Policy {
  PolicyKind kind = PolicyKind::default_policy;
  NodeSet nodes;                ///< Empty for default and local.
  bool numa_balancing = false;  ///< MPOL_F_NUMA_BALANCING: let the kernel migrate within the set.
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The kinds' names in help, JSON and errors: default, local, bind, …
[[nodiscard]] std::string to_string(PolicyKind kind);

/// Errors: bad_usage for nodes with default/local, no nodes with the others, several with
/// preferred.
Result<void> validate(const Policy& policy);

}  // namespace homenode::placement
