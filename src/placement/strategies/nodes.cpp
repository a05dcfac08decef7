#include "placement/strategies/nodes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "placement/threads/map.h"

namespace homenode::placement {

NodeSet usable_memory(const machine::Machine& machine) {
  return machine.nodes_with_memory() & machine.allowed_nodes;
}

NodeId nearest_memory(const machine::Machine& machine, NodeId node) {
  const std::vector<NodeId> candidates = usable_memory(machine).to_vector();
  assert(!candidates.empty());
  const auto distance = [&](NodeId to) {
    if (to == node) return 0.0;
    const bool known = machine.distances && machine.distances->values.has(node, to);
    return known ? machine.distances->values.at(node, to) : std::numeric_limits<double>::max();
  };
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](NodeId a, NodeId b) { return distance(a) < distance(b); });
}

std::vector<NodeId> thread_homes(const machine::Machine& machine, const Program& program) {
  const ThreadMap threads = compact(machine, program.threads);
  const NodeId fallback = usable_memory(machine).to_vector().front();
  std::vector<NodeId> homes;
  homes.reserve(program.threads);
  for (std::size_t rank = 0; rank < program.threads; ++rank) {
    const auto node = machine.node_of(threads.of(rank).to_vector().front());
    homes.push_back(node ? nearest_memory(machine, *node) : fallback);
  }
  return homes;
}

std::vector<std::size_t> users_of(const NamedArray& array, std::size_t threads) {
  if (!array.users.empty()) return array.users;
  std::vector<std::size_t> everybody(threads);
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  return everybody;
}

}  // namespace homenode::placement
