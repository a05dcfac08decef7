// first-touch: the main thread initialises, so that its node gets everything.
#include "placement/strategies/nodes.h"

namespace homenode::placement {

Placement first_touch(const machine::Machine& machine, const Program& program) {
  Placement placement;
  placement.threads = compact(machine, program.threads);
  placement.process_memory = Policy{};
  const NodeId home = thread_homes(machine, program).front();
  for (const NamedArray& array : program.arrays) {
    placement.regions.push_back({array.name, PageMap(array.pages, home)});
  }
  return placement;
}

}  // namespace homenode::placement
