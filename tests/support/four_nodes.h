// The machine that the tests of threads and allocations are written for.
#pragma once

#include "machine/machine.h"

namespace homenode {

/// Four nodes of two CPUs, of which node 3 has no memory and CPU 7 is not allowed.
inline machine::Machine four_nodes() {
  machine::Machine machine;
  for (unsigned node = 0; node < 4; ++node) {
    machine.nodes.push_back(
        {NodeId(node), {CpuId(2 * node), CpuId(2 * node + 1)}, node == 3 ? Bytes{} : 64_MiB, node});
    machine.allowed_nodes.insert(NodeId(node));
  }
  machine.allowed_cpus = CpuSet::range(CpuId(0), CpuId(6));
  return machine;
}

}  // namespace homenode
