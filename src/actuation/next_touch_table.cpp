#include "actuation/next_touch_table.h"

#include <fmt/format.h>

#include <sstream>
#include <string>

#include "base/id_list.h"

namespace homenode::actuation {
namespace {

constinit NextTouchTable the_table{};

/// By node: the node that takes its pages, plus one; 0 where it takes them itself. Nodes beyond the
/// table take theirs too.
constinit std::array<std::atomic<std::uint32_t>, 1024> targets{};

NodeSet node_list(os::Os& os, const char* name) {
  std::string text;
  if (os.read_file(fmt::format("/sys/devices/system/node/{}", name), text) < 0) return {};
  const auto nodes = parse_node_list(text);
  return nodes ? *nodes : NodeSet{};
}

/// The entry for `node`: the nearest by its SLIT distances, of which sysfs has one for each node
/// that is online.
std::uint32_t target_of(os::Os& os, NodeId node, const NodeSet& online,
                        const NodeSet& with_memory) {
  std::string text;
  const auto path = fmt::format("/sys/devices/system/node/node{}/distance", node.value());
  if (os.read_file(path, text) < 0) return 0;
  std::istringstream distances(text);
  unsigned nearest = 0;
  std::uint32_t target = 0;
  for (NodeId other : online.to_vector()) {
    unsigned distance = 0;
    if (!(distances >> distance)) break;
    if (!with_memory.contains(other) || (nearest != 0 && distance >= nearest)) continue;
    nearest = distance;
    target = other.value() + 1;
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
