// Which node each page of a region goes to. Pure functions of (pages, nodes); one file per
// distribution, one table of them (distribution_table.h). Serves placement and actuation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace homenode::placement {

/// node[i] is where page i of a region goes.
using PageMap = std::vector<NodeId>;

/// Contiguous: M parts whose sizes differ by at most one page, in the order of `nodes`.
/// pre: nodes is not empty.
PageMap block(std::size_t pages, std::span<const NodeId> nodes);

/// Round-robin in units of `pages_per_block`: page p on nodes[(p / pages_per_block) mod M].
/// pre: nodes is not empty, pages_per_block > 0.
PageMap cyclic(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block = 1);

/// A part of a map that is given run by run.
struct Run {
  std::size_t pages = 0;
  NodeId node;
};
/// The runs one after the other. Errors: bad_usage when the runs do not add up to `pages`.
Result<PageMap> explicit_map(std::size_t pages, std::span<const Run> runs);

}  // namespace homenode::placement
