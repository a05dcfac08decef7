// The distributions by name, for help, options and studies. A new one is one file and one line.
#pragma once

#include <span>
#include <string_view>

#include "placement/distribution.h"

namespace homenode::placement {

/// A distribution that needs nothing but the region's size and the nodes.
struct Distribution {
  std::string_view name;
  std::string_view summary;
  PageMap (*map)(std::size_t pages, std::span<const NodeId> nodes);
};

/// All of them, in the order of the help.
std::span<const Distribution> distributions();

/// Errors: bad_usage listing the names that exist.
Result<Distribution> find_distribution(std::string_view name);

}  // namespace homenode::placement
