// memory-bind: each array on the nodes of the threads that use it, and nowhere else.
#include "placement/strategies/nodes.h"

namespace homenode::placement {

Placement memory_bind(const machine::Machine& machine, const Program& program) {
  Placement placement;
  placement.threads = compact(machine, program.threads);
  placement.process_memory = Policy{};
  const std::vector<NodeId> homes = thread_homes(machine, program);
  for (const NamedArray& array : program.arrays) {
    Policy bind{.kind = PolicyKind::bind, .nodes = {}};
    for (std::size_t rank : users_of(array, program.threads)) bind.nodes.insert(homes[rank]);
    placement.regions.push_back({array.name, std::move(bind)});
  }
  return placement;
}

}  // namespace homenode::placement
