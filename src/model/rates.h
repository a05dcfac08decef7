// What a machine's figures say of each pair of nodes: how long a line takes, and how many bytes
// pass in a second. Pure; every model reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/links.h"

namespace homenode::model {

/// Bytes a second, reads and writes apart.
struct Bandwidth {
  double read = 0;
  double write = 0;
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Rows are the nodes with CPUs, columns those with memory.
struct Rates {
  std::vector<NodeId> cpu_nodes;
  std::vector<NodeId> memory_nodes;
  Matrix<NodeId, NodeId> distance;  ///< 10 = local.
  /// Seconds from a load to its data; nothing where no figure of the machine is a latency.
  std::optional<Matrix<NodeId, NodeId>> latency_s;
  /// What all CPUs of a node get from a node's memory; nothing where nobody says it of any pair.
  std::optional<Matrix<NodeId, NodeId, Bandwidth>> path;
  Links links;
  std::vector<std::string> assumptions;  ///< What stands in for figures that are not there.

  /// What a node's memory gives to all nodes together: the most that any node gets from it.
  /// pre: path is there.
  [[nodiscard]] Bandwidth controller(NodeId memory) const;
  /// A node's own memory, else the nearest by distance, the lower id first; among `allowed` if that
  /// is not empty. pre: the machine has memory there.
  [[nodiscard]] NodeId nearest_memory(NodeId node, const NodeSet& allowed = {}) const;
};

/// Pairs that a matrix does not know get the local figure, changed by the distance: latencies in
/// proportion to it, bandwidths in inverse proportion. Without distances a remote node is at 20.
/// Errors: those of links_of(). pre: is_valid(machine), some node has CPUs and some has memory.
[[nodiscard]] Result<Rates> rates_of(const machine::Machine& machine);

}  // namespace homenode::model
