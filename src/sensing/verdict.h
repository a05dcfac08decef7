// Policy against reality: which mappings have pages where their policy would not put them, and what
// explains it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sensing/survey.h"

namespace homenode::sensing {

/// Why pages are not where the policy says.
enum class Cause {
  page_cache,     ///< Whoever read the file first decided.
  shared,         ///< Other processes map them too.
  pool,           ///< Huge pages come from what each node has reserved.
  full_node,      ///< A node that was asked for has next to nothing free.
  before_policy,  ///< They were present before the policy was set, or were moved since.
};
/// "page-cache", …: the names in JSON.
std::string to_string(Cause cause);

/// A mapping that is not as its policy says.
struct Finding {
  std::size_t mapping = 0;  ///< Index into Survey::mappings.
  PagesOnNodes off;         ///< Pages on nodes that the policy does not name, or above their share.
  Cause cause = Cause::before_policy;
  [[nodiscard]] std::uint64_t pages() const;
};

/// Bind, preferred and interleave policies are judged, the last for evenness too (more than a tenth
/// of at least 64 pages a node above an even share); default and local name no node.
std::vector<Finding> off_policy(const Survey& survey);

/// A whole sentence without a full stop, such as "the pages were present before …".
std::string explain(Cause cause);

}  // namespace homenode::sensing
