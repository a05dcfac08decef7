#include "actuation/repair_targets.h"

#include <algorithm>

namespace homenode::actuation {
namespace {

using placement::Policy;
using placement::PolicyKind;

Result<void> check(const placement::MemoryRule& rule) {
  const std::string what = to_string(rule);
  if (is_next_touch(rule)) {
    return bad_usage("next-touch cannot be armed from outside a process",
                     "start the program under it, or name nodes as in --repair bind@1");
  }
  const auto* const policy = std::get_if<Policy>(&rule.how);
  if (policy == nullptr) return {};
  switch (policy->kind) {
    case PolicyKind::bind:
    case PolicyKind::preferred:
    case PolicyKind::preferred_many:
    case PolicyKind::interleave:
      return {};
    case PolicyKind::weighted_interleave:
      return bad_usage("weighted-interleave uses the kernel's weights, and only at first touch",
                       "give weights of your own, as in --repair weighted:3,1@0-1");
    case PolicyKind::default_policy:
    case PolicyKind::local:
      break;
  }
  return bad_usage("the rule '" + what + "' names no node to move pages to",
                   "name nodes, as in --repair bind@1");
}

}  // namespace

Result<WhereTargets> WhereTargets::make(const placement::MemoryRule& rule, std::uint64_t units) {
  if (const auto fit = check(rule); !fit) return fit.as_unexpected();
  WhereTargets targets;
  if (const auto* const policy = std::get_if<Policy>(&rule.how)) {
    targets.nodes_ = policy->nodes.to_vector();
    targets.may_stay_ = policy->kind != PolicyKind::interleave;
    return targets;
  }
  auto resolved = resolve(rule, units);
  if (!resolved) return resolved.as_unexpected();
  targets.map_ = std::get<placement::PageMap>(std::move(*resolved));
  return targets;
}

NodeId WhereTargets::of(std::uint64_t unit, NodeId now) const {
  if (!map_.empty()) return map_[unit];
  if (may_stay_ && std::find(nodes_.begin(), nodes_.end(), now) != nodes_.end()) return now;
  return nodes_[unit % nodes_.size()];
}

}  // namespace homenode::actuation
