#include "placement/policies/policy.h"

#include <fmt/format.h>

#include <array>

#include "base/id_list.h"

namespace homenode::placement {
namespace {

enum class Count { none, one, some };

struct Kind {
  PolicyKind kind;
  const char* name;
  Count nodes;
};
constexpr std::array kinds{
    Kind{PolicyKind::default_policy, "default", Count::none},
    Kind{PolicyKind::local, "local", Count::none},
    Kind{PolicyKind::bind, "bind", Count::some},
    Kind{PolicyKind::preferred, "preferred", Count::one},
    Kind{PolicyKind::preferred_many, "preferred-many", Count::some},
    Kind{PolicyKind::interleave, "interleave", Count::some},
    Kind{PolicyKind::weighted_interleave, "weighted-interleave", Count::some},
};

const Kind& find(PolicyKind wanted) {
  for (const Kind& kind : kinds) {
    if (kind.kind == wanted) return kind;
  }
  return kinds.front();
}

Result<void> validate_home(const Policy& policy) {
  if (!policy.home_node) return {};
  if (policy.kind != PolicyKind::bind && policy.kind != PolicyKind::preferred_many) {
    return bad_usage(fmt::format("only the policies bind and preferred-many take a home node, "
                                 "not {}",
                                 to_string(policy.kind)),
                     "choose one of these, or leave out the home node");
  }
  return {};
}

}  // namespace

std::string to_string(PolicyKind kind) {
  return find(kind).name;
}

std::optional<PolicyKind> find_policy_kind(std::string_view name) {
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind.kind;
  }
  return std::nullopt;
}

bool takes_nodes(PolicyKind kind) {
  return find(kind).nodes != Count::none;
}

Result<void> validate(const Policy& policy) {
  const Kind& kind = find(policy.kind);
  const std::size_t count = policy.nodes.size();
  if (kind.nodes == Count::none && count > 0) {
    return bad_usage(
        fmt::format("the policy {} takes no nodes, but got {}", kind.name, to_list(policy.nodes)),
        "leave out the nodes, or choose bind, preferred or interleave");
  }
  if (kind.nodes != Count::none && count == 0) {
    return bad_usage(fmt::format("the policy {} needs nodes, but got none", kind.name),
                     "name at least one node; 'homenode topology' lists them");
  }
  if (kind.nodes == Count::one && count > 1) {
    return bad_usage(
        fmt::format("the policy preferred takes one node, but got {}", to_list(policy.nodes)),
        "name one node, or choose preferred-many");
  }
  if (policy.numa_balancing && policy.kind != PolicyKind::bind) {
    return bad_usage(fmt::format("only the policy bind takes balancing, not {}", kind.name),
                     "choose bind, or leave out balancing");
  }
  return validate_home(policy);
}

}  // namespace homenode::placement
