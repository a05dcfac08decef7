// /proc/PID/numa_maps as values: for each mapping its policy and how many of its pages are on each
// node. Pure; the one file that numastat reads too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"

namespace homenode::sensing {

/// A memory policy as the kernel states it.
struct StatedPolicy {
  /// "default", "local", "bind", "preferred", "preferred-many", "interleave",
  /// "weighted-interleave"; or the kernel's own word for what is newer than this.
  std::string mode = "default";
  std::string flags;  ///< "static", "relative", "balancing", joined by "|"; usually empty.
  NodeSet nodes;
  /// The kernel writes at most 63 characters, so the end of a long list of nodes can be missing.
  bool nodes_cut = false;
  friend bool operator==(const StatedPolicy&, const StatedPolicy&) = default;
};

/// "bind:0-1", "interleave=static:0,2".
std::string to_string(const StatedPolicy& policy);

/// How many pages each node has, in increasing order of node; no entry is 0.
using PagesOnNodes = std::vector<std::pair<NodeId, std::uint64_t>>;

/// One line of the file.
struct NumaMapping {
  std::uint64_t first = 0;  ///< Where the mapping starts.
  StatedPolicy policy;
  std::string file;  ///< As the file system names it; empty for anonymous memory.
  bool heap = false;
  bool stack = false;  ///< The main thread's.
  bool huge = false;   ///< Of hugetlbfs: its pages are of page_size each.
  std::uint64_t anon = 0;
  std::uint64_t dirty = 0;
  std::uint64_t swapcache = 0;
  std::uint64_t most_sharers = 1;  ///< The most processes and mappings that share one of its pages.
  Bytes page_size = 4_KiB;
  PagesOnNodes pages;
};

struct NumaMaps {
  std::vector<NumaMapping> mappings;
  std::size_t unreadable_lines = 0;  ///< Lines that say nothing to this reader.
};

/// Never fails: what cannot be read is counted.
NumaMaps parse_numa_maps(std::string_view text);

/// pages * page_size.
Bytes bytes_of(std::uint64_t pages, Bytes page_size);

}  // namespace homenode::sensing
