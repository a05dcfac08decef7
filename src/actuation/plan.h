// The plan of a page map: which runs of pages each node gets, so that one policy call per node is
// enough, or one for all of them. Pure; region.cpp makes it real.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "placement/distributions/distribution.h"

namespace homenode::actuation {

/// Pages [first, first + pages) of a region.
struct PageRun {
  std::size_t first = 0;
  std::size_t pages = 0;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

/// The pages of one node, in increasing order, no two runs adjacent.
struct NodeRuns {
  NodeId node;
  std::vector<PageRun> runs;
  friend bool operator==(const NodeRuns&, const NodeRuns&) = default;
};

struct Plan {
  std::vector<NodeRuns> nodes;  ///< In increasing order of node.
  /// The map changes node inside a unit that the kernel could fill with one huge page.
  bool divides_huge_pages = false;
  /// The nodes take turns by the pages' numbers, as they do where the kernel interleaves.
  bool interleaved = false;
};

/// Where the region lies, in pages: its first page's number, and how many pages a huge page has.
struct PageGeometry {
  std::uintptr_t first_page = 0;
  std::size_t pages_per_huge_page = 512;
};

/// Groups a map by node. pre: pages_per_huge_page > 0.
Plan make_plan(const placement::PageMap& map, PageGeometry geometry);

}  // namespace homenode::actuation
