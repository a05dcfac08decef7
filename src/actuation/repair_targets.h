// What a memory rule means for a process that already runs: which node each page of one mapping
// goes to. Pure. Serves where_repair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "placement/policies/memory_rule.h"

namespace homenode::actuation {

/// The pages of one mapping, by position. Nothing outside a process can set its policies, so a
/// policy means here what it would have done: interleave deals the pages out, bind and
/// preferred-many leave a page where it is when that is one of their nodes.
class WhereTargets {
 public:
  /// `rule` over a mapping of so many units; a unit is a page, or a huge page where the mapping has
  /// such. Errors: bad_usage for default, local, weighted-interleave and next-touch, which name no
  /// node for a page, and for an explicit map of another length.
  static Result<WhereTargets> make(const placement::MemoryRule& rule, std::uint64_t units);

  /// Where a unit that is on `now` goes. pre: unit < units.
  [[nodiscard]] NodeId of(std::uint64_t unit, NodeId now) const;

 private:
  placement::PageMap map_;  ///< Of all units, or empty.
  std::vector<NodeId> nodes_;
  bool may_stay_ = false;
};

}  // namespace homenode::actuation
