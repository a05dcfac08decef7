#include "machine/machine.h"

#include <algorithm>

namespace homenode::machine {
namespace {

template <class Item, class Key>
bool strictly_increasing(const std::vector<Item>& items, Key key) {
  return std::adjacent_find(items.begin(), items.end(), [&](const Item& a, const Item& b) {
           return key(a) >= key(b);
         }) == items.end();
}

bool nodes_are_valid(const Machine& machine) {
  CpuSet seen;
  for (const Node& node : machine.nodes) {
    if (!(seen & node.cpus).empty()) return false;
    seen = seen | node.cpus;
    const auto in_package = [&](const Package& p) { return p.number == node.package; };
    if (node.package &&
        std::none_of(machine.packages.begin(), machine.packages.end(), in_package)) {
      return false;
    }
  }
  return !machine.nodes.empty() &&
         strictly_increasing(machine.nodes, [](const Node& node) { return node.id; }) &&
         strictly_increasing(machine.packages, [](const Package& p) { return p.number; });
}

bool distances_are_valid(const Machine& machine) {
  if (!machine.distances) return true;
  const auto& ids = machine.distances->values.rows();
  return ids == machine.distances->values.columns() && !ids.empty() &&
         strictly_increasing(ids, [](NodeId id) { return id; }) &&
         std::all_of(ids.begin(), ids.end(), [&](NodeId id) { return machine.find(id); });
}

bool pair_values_are_valid(const Machine& machine) {
  const auto rows = machine.nodes_with_cpus().to_vector();
  const auto columns = machine.nodes_with_memory().to_vector();
  return strictly_increasing(machine.pair_values, [](const PairValues& m) { return m.kind; }) &&
         std::all_of(machine.pair_values.begin(), machine.pair_values.end(),
                     [&](const PairValues& matrix) {
                       return matrix.values.rows() == rows && matrix.values.columns() == columns;
                     });
}

}  // namespace

CpuSet Machine::cpus() const {
  CpuSet set;
  for (const Node& node : nodes) set = set | node.cpus;
  return set;
}

NodeSet Machine::node_ids() const {
  NodeSet set;
  for (const Node& node : nodes) set.insert(node.id);
  return set;
}

NodeSet Machine::nodes_with_memory() const {
  NodeSet set;
  for (const Node& node : nodes) {
    if (node.memory.value > 0) set.insert(node.id);
  }
  return set;
}

NodeSet Machine::nodes_with_cpus() const {
  NodeSet set;
  for (const Node& node : nodes) {
    if (!node.cpus.empty()) set.insert(node.id);
  }
  return set;
}

const Node* Machine::find(NodeId id) const {
  const auto found =
      std::lower_bound(nodes.begin(), nodes.end(), id,
                       [](const Node& node, NodeId wanted) { return node.id < wanted; });
  return found != nodes.end() && found->id == id ? &*found : nullptr;
}

std::optional<NodeId> Machine::node_of(CpuId cpu) const {
  for (const Node& node : nodes) {
    if (node.cpus.contains(cpu)) return node.id;
  }
  return std::nullopt;
}

CpuSet Machine::cpus_of(const NodeSet& wanted) const {
  CpuSet set;
  for (const Node& node : nodes) {
    if (wanted.contains(node.id)) set = set | node.cpus;
  }
  return set;
}

std::optional<unsigned> Machine::tier_of(NodeId node) const {
  const auto found = memory_tiers.find(node);
  return found == memory_tiers.end() ? std::nullopt : std::optional(found->second);
}

const PairValues* Machine::find(MatrixKind kind) const {
  for (const PairValues& matrix : pair_values) {
    if (matrix.kind == kind) return &matrix;
  }
  return nullptr;
}

bool is_valid(const Machine& machine) {
  const CpuSet cpus = machine.cpus();
  const NodeSet nodes = machine.node_ids();
  const CpuSet online = cpus | machine.cpus_without_node;
  const auto known_cpus = [&](const auto& item) { return item.cpus.is_subset_of(online); };
  const auto known_nodes = [&](const Device& device) { return device.nodes.is_subset_of(nodes); };
  return nodes_are_valid(machine) && distances_are_valid(machine) &&
         pair_values_are_valid(machine) &&
         std::all_of(machine.packages.begin(), machine.packages.end(), known_cpus) &&
         std::all_of(machine.caches.begin(), machine.caches.end(), known_cpus) &&
         std::all_of(machine.devices.begin(), machine.devices.end(), known_nodes) &&
         (machine.offline_cpus & online).empty() && (machine.cpus_without_node & cpus).empty() &&
         machine.allowed_cpus.is_subset_of(cpus) && machine.allowed_nodes.is_subset_of(nodes);
}

}  // namespace homenode::machine
