// Machine: what the hardware is. Nodes, CPUs, caches and the matrices between nodes, as one value
// without system calls. The first stage; every later stage reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"
#include "machine/matrices.h"

namespace homenode::machine {

/// One NUMA node. `cpus` is empty for CPU-less nodes (CXL, HBM), `memory` 0 for memory-less ones.
struct Node {
  NodeId id;
  CpuSet cpus;   ///< CPUs that are local to the node and online.
  Bytes memory;  ///< Local memory.
  /// The package (socket) that holds the node; nothing where it lies outside or spans several.
  std::optional<unsigned> package;
  friend bool operator==(const Node&, const Node&) = default;
};

/// A package (socket) by the operating system's number, with its online CPUs.
struct Package {
  unsigned number = 0;
  CpuSet cpus;
  friend bool operator==(const Package&, const Package&) = default;
};

/// One data or unified cache.
struct Cache {
  unsigned level = 1;
  Bytes size;
  unsigned ways = 0;        ///< 0 when unknown, hwloc's -1 (fully associative) is also 0.
  unsigned line_bytes = 0;  ///< 0 when unknown.
  CpuSet cpus;              ///< The CPUs that share it.
  friend bool operator==(const Cache&, const Cache&) = default;
};

/// A device whose locality is known.
struct Device {
  std::string name;  ///< The operating system's name: eth0, nvme0n1.
  std::string kind;  ///< network, block, gpu, …
  std::string pci;   ///< PCI address, or empty.
  NodeSet nodes;     ///< Nodes that are local to it; empty when the system does not know.
  friend bool operator==(const Device&, const Device&) = default;
};

struct Machine {
  std::string name;               ///< Product or catalogue name; empty when unknown.
  std::vector<Node> nodes;        ///< In increasing order of id; ids may be sparse.
  std::vector<Package> packages;  ///< In increasing order of number; may be empty.
  std::vector<Cache> caches;
  std::vector<Device> devices;
  std::optional<Distances> distances;
  /// Latencies and bandwidths between nodes, at most one of a kind, in the order of MatrixKind.
  std::vector<PairValues> pair_values;
  CpuSet offline_cpus;  ///< CPUs that the system has but does not use; in no node.
  /// Online CPUs of no node, as in a capture from a container that may use some nodes' memory only.
  CpuSet cpus_without_node;
  CpuSet allowed_cpus;    ///< What affinity and cpuset of this process allow; all for files.
  NodeSet allowed_nodes;  ///< Nodes whose memory the cpuset allows; all nodes for files.
  /// The kernel's memory tiers, the lowest number for the fastest; empty for files, and before
  /// Linux 6.1.
  std::map<NodeId, unsigned> memory_tiers;
  /// What hwloc has no place for, from `info` attributes named `homenode:…` (prefix removed).
  std::vector<std::pair<std::string, std::string>> info;

  [[nodiscard]] CpuSet cpus() const;
  [[nodiscard]] NodeSet node_ids() const;
  [[nodiscard]] NodeSet nodes_with_memory() const;
  [[nodiscard]] NodeSet nodes_with_cpus() const;
  /// Null when there is no such node.
  [[nodiscard]] const Node* find(NodeId id) const;
  /// The node that a CPU belongs to; nothing for unknown CPUs.
  [[nodiscard]] std::optional<NodeId> node_of(CpuId cpu) const;
  /// The CPUs of all the given nodes together.
  [[nodiscard]] CpuSet cpus_of(const NodeSet& nodes) const;
  /// Nothing where the kernel has put the node into no tier.
  [[nodiscard]] std::optional<unsigned> tier_of(NodeId node) const;
  /// Null when nobody gives values of this kind.
  [[nodiscard]] const PairValues* find(MatrixKind kind) const;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The machine's invariants hold: at least one node, ids increasing, no CPU in two nodes, what
/// refers to nodes or CPUs refers to existing ones, the distances are square, and the rows and
/// columns of other matrices the nodes with CPUs and those with memory.
[[nodiscard]] bool is_valid(const Machine& machine);

}  // namespace homenode::machine
