// A machine as text for people: the tree of its nodes, what holds for all of it, its matrices.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace homenode::cli {

/// Nodes that are shown together: those of a package, those across packages, those outside.
struct NodeGroup {
  std::string title;  ///< Empty when the machine has no packages.
  std::vector<const machine::Node*> nodes;
};

/// The groups of all nodes, in the order of the packages, without empty ones. pre: the machine
/// outlives them.
std::vector<NodeGroup> node_groups(const machine::Machine& machine);

/// Distances, latencies and bandwidths, each a table below an empty line that names their source;
/// '?' for what is unknown. Tables wider than a line become lists per node.
std::string matrices_text(const machine::Machine& machine);

/// All that `homenode topology` prints without an option, ending in a newline: packages and their
/// nodes as a tree, then caches, devices, offline CPUs and what the cpuset forbids, each on a line
/// of its own, then the matrices. Lines have up to 100 columns where lists allow it.
std::string topology_text(const machine::Machine& machine);

}  // namespace homenode::cli
