// The distributions by name, for help, options and studies. A new one is one file and one line.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

/// What a distribution is told beside the number of pages: numbers, in the order of its grammar.
using Parameters = std::span<const std::uint64_t>;

struct Distribution {
  std::string_view name;
  std::string_view grammar;  ///< What may follow the name: "[:BLOCK_PAGES]".
  std::string_view summary;
  /// Whether these nodes and parameters make a map. Errors: bad_usage saying which do.
  Result<void> (*check)(std::span<const NodeId> nodes, Parameters parameters);
  /// pre: check() passes.
  PageMap (*map)(std::size_t pages, std::span<const NodeId> nodes, Parameters parameters);
};

/// All of them, in the order of the help.
std::span<const Distribution> distributions();

/// Errors: bad_usage listing the names that exist.
Result<Distribution> find_distribution(std::string_view name);

}  // namespace homenode::placement
