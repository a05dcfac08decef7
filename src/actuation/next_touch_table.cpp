#include "actuation/next_touch_table.h"

#include <algorithm>
#include <vector>

#include "machine/kernel_files.h"

namespace homenode::actuation {
namespace {

constinit NextTouchTable the_table{};

/// By node: the node that takes its pages, plus one; 0 where it takes them itself. Nodes beyond the
/// table take theirs too.
constinit std::array<std::atomic<std::uint32_t>, 1024> targets{};

NodeSet node_list(os::Os& os, const char* name) {
  NodeSet nodes;
  return machine::read_node_list(os, name, nodes) < 0 ? NodeSet{} : nodes;
}

/// The entry for `node`: the nearest by its SLIT distances, of which sysfs has one for each node
/// that is online.
std::uint32_t target_of(os::Os& os, NodeId node, const NodeSet& online,
                        const NodeSet& with_memory) {
  const std::vector<unsigned> distances = machine::read_node_distances(os, node);
  const std::vector<NodeId> others = online.to_vector();
  unsigned nearest = 0;
  std::uint32_t target = 0;
  for (std::size_t i = 0; i < std::min(others.size(), distances.size()); ++i) {
    if (!with_memory.contains(others[i]) || (nearest != 0 && distances[i] >= nearest)) continue;
    nearest = distances[i];
    target = others[i].value() + 1;
  }
  return target;
}

}  // namespace

NextTouchTable& next_touch_table() {
  return the_table;
}

NodeId next_touch_target(NodeId node) {
  if (node.value() >= targets.size()) return node;
  const std::uint32_t target = targets[node.value()].load();
  return target == 0 ? node : NodeId(target - 1);
}

void learn_next_touch_targets(os::Os& os) {
  const NodeSet with_memory = node_list(os, "has_memory");
  const NodeSet without = node_list(os, "has_cpu") - with_memory;
  const NodeSet online = without.empty() ? NodeSet{} : node_list(os, "online");
  for (std::uint32_t value = 0; value < targets.size(); ++value) {
    const NodeId node(value);
    const bool has_none = !with_memory.empty() && without.contains(node);
    targets[value] = has_none ? target_of(os, node, online, with_memory) : 0;
  }
}

}  // namespace homenode::actuation
