// homenode bench map: the access matrix that follows from the pattern and from where the pages are,
// and the one that the pattern allows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "access/access_matrix.h"
#include "access/expected.h"
#include "machine/machine.h"
#include "workloads/map/kernels.h"
#include "workloads/map/pattern.h"

namespace homenode::trial {

/// What is multiplied: walks × pages × operation × passes.
struct AccessFacts {
  /// walks[rank]: what the thread uses in one pass, in positions from the start of the memory.
  const std::vector<std::vector<workloads::map::Span>>& walks;
  /// By page of the memory; nothing for a page that is on no node.
  const std::vector<std::optional<NodeId>>& node_of_page;
  std::size_t elements_per_page = 64;
  workloads::map::Operation operation = workloads::map::Operation::read;
  std::uint64_t passes = 1;
};

struct ComputedAccess {
  access::ThreadMatrix by_thread;           ///< Columns as `nodes` below.
  std::uint64_t accesses_without_node = 0;  ///< To pages that are on no node.
};

/// Every access of every thread, exactly. pre: all walks lie within the pages; each page's node is
/// among `nodes`; elements_per_page > 0.
ComputedAccess compute_access(const AccessFacts& facts, const std::vector<NodeId>& nodes);

/// The pattern with every element at home. pre: a node for each thread of the problem; these nodes
/// and the memory nearest to them are among `nodes`.
access::ElementMatrix expected_elements(const machine::Machine& machine,
                                        const workloads::map::Problem& problem,
                                        const std::vector<NodeId>& node_of_thread,
                                        const std::vector<NodeId>& nodes);

}  // namespace homenode::trial
