// Which CPUs each thread may run on, by rank in creation order. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "machine/machine.h"

namespace homenode::placement {

/// threads[rank] = CPUs. Ranks past the end start again at the beginning, as OpenMP places do.
struct ThreadMap {
  std::vector<CpuSet> cpus_by_rank;
  /// pre: not empty.
  [[nodiscard]] const CpuSet& of(std::size_t rank) const {
    return cpus_by_rank[rank % cpus_by_rank.size()];
  }
  friend bool operator==(const ThreadMap&, const ThreadMap&) = default;
};

/// Thread i on the i-th allowed CPU, counting node by node, so that consecutive ranks share a node;
/// more threads than CPUs start again at the first. Empty when no CPU is allowed.
ThreadMap compact(const machine::Machine& machine, std::size_t threads);

/// A list in rank order: "0,4,8-11" gives one CPU per rank; order and repeats are kept, and "3-0"
/// counts downwards. Errors: bad_usage for syntax, unknown or not allowed CPUs.
Result<ThreadMap> parse_thread_map(const machine::Machine& machine, std::string_view text);

/// The list form, or places ({0,1},{2}) where a rank has several CPUs; parse_thread_expression
/// gives the same map back.
std::string to_string(const ThreadMap& map);

}  // namespace homenode::placement
