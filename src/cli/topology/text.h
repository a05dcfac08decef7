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

/// The groups of all nodes, without empty ones. The machine must outlive them.
std::vector<NodeGroup> node_groups(const machine::Machine& machine);

/// Distances, latencies and bandwidths, each a table below an empty line that names their source;
/// '?' for what is unknown. Tables wider than a line become lists per node.
std::string matrices_text(const machine::Machine& machine);

/// Packages, nodes, caches, devices, limits, then the matrices; lines of up to 100 columns where
/// lists allow it. Ends in a newline.
std::string topology_text(const machine::Machine& machine);

}  // namespace homenode::cli
