// round-robin: no node is hot, none is near; thread i on core i.
#include "placement/strategies/nodes.h"

namespace homenode::placement {

Placement round_robin(const machine::Machine& machine, const Program& program) {
  Placement placement;
  placement.threads = compact(machine, program.threads);
  const NodeSet nodes = usable_memory(machine);
  placement.process_memory = Policy{.kind = PolicyKind::interleave, .nodes = nodes};
  const std::vector<NodeId> in_turn = nodes.to_vector();
  for (const NamedArray& array : program.arrays) {
    placement.regions.push_back({array.name, cyclic(array.pages, in_turn)});
  }
  return placement;
}

}  // namespace homenode::placement
