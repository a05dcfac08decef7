// Machines made up for the tests of this room.
#pragma once

#include "machine/machine.h"
#include "fake/fake.h"

namespace homenode::measure {

/// Four nodes of two CPUs each with ids 0, 1, 2 and 9; node 2 has no memory. Node 7 has memory and
/// no CPUs. Each pair of CPUs shares a cache of 1 MiB.
inline machine::Machine odd_machine() {
  machine::Machine machine;
  machine.name = "odd";
  unsigned cpu = 0;
  for (unsigned id : {0U, 1U, 2U, 7U, 9U}) {
    machine::Node node;
    node.id = NodeId(id);
    if (id != 7) node.cpus = CpuSet{CpuId(cpu), CpuId(cpu + 1)};
    node.memory = id == 2 ? Bytes{} : 1024_MiB;
    cpu += id == 7 ? 0 : 2;
    if (id != 7) machine.caches.push_back({3, 1_MiB, 16, 64, node.cpus});
    machine.nodes.push_back(node);
  }
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

/// The kernel of odd_machine().
inline os::FakeMachine odd_kernel() {
  os::FakeMachine model;
  model.nodes = NodeSet{NodeId(0), NodeId(1), NodeId(7), NodeId(9)};
  model.node_of_cpu.clear();
  const unsigned nodes[] = {0, 0, 1, 1, 2, 2, 9, 9};
  for (unsigned cpu = 0; cpu < 8; ++cpu) model.node_of_cpu[CpuId(cpu)] = NodeId(nodes[cpu]);
  return model;
}

/// One node, one CPU.
inline machine::Machine smallest_machine() {
  machine::Machine machine;
  machine.name = "smallest";
  machine.nodes.push_back({NodeId(0), CpuSet{CpuId(0)}, 512_MiB, {}});
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

}  // namespace homenode::measure
