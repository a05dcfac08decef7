// The machines that tests build by hand, and the fake kernels that go with them. Those that are
// data are captured XML and lie in machines/ and in the tests' own folders.
#pragma once

#include <vector>

#include "fake/fake.h"
#include "machine/machine.h"

namespace homenode {

/// A kernel of nodes with memory and two CPUs each, in this order.
inline os::FakeMachine kernel_of(const std::vector<unsigned>& ids) {
  os::FakeMachine model;
  model.nodes = {};
  model.node_of_cpu.clear();
  unsigned cpu = 0;
  for (const unsigned id : ids) {
    model.nodes.insert(NodeId(id));
    for (unsigned both = 0; both < 2; ++both) model.node_of_cpu[CpuId(cpu++)] = NodeId(id);
  }
  return model;
}

/// 4 nodes, 0 to 3, of 2 CPUs and 64 MiB each.
inline machine::Machine quad_machine() {
  machine::Machine machine;
  for (unsigned id = 0; id < 4; ++id) {
    const CpuSet cpus{CpuId(2 * id), CpuId(2 * id + 1)};
    machine.nodes.push_back({.id = NodeId(id), .cpus = cpus, .memory = 64_MiB, .package = {}});
    machine.allowed_nodes.insert(NodeId(id));
    machine.allowed_cpus = machine.allowed_cpus | cpus;
  }
  return machine;
}

/// The kernel of quad_machine().
inline os::FakeMachine quad_kernel() {
  return kernel_of({0, 1, 2, 3});
}

/// Node 0 has CPUs 0 and 1 and no memory; node 5 CPUs 2 and 3 and 64 MiB; node 8 only 64 MiB, and
/// is the nearest to node 0.
inline machine::Machine lopsided_machine() {
  machine::Machine machine;
  machine.nodes = {
      {.id = NodeId(0), .cpus = {CpuId(0), CpuId(1)}, .memory = {}, .package = {}},
      {.id = NodeId(5), .cpus = {CpuId(2), CpuId(3)}, .memory = 64_MiB, .package = {}},
      {.id = NodeId(8), .cpus = {}, .memory = 64_MiB, .package = {}},
  };
  machine.allowed_nodes = machine.node_ids();
  machine.allowed_cpus = machine.cpus();
  const std::vector<NodeId> ids = machine.node_ids().to_vector();
  machine.distances = machine::Distances{Matrix<NodeId, NodeId>(ids, ids, 20.0)};
  for (NodeId id : ids) machine.distances->values.at(id, id) = 10;
  machine.distances->values.at(NodeId(0), NodeId(8)) = 14;
  return machine;
}

/// quad_machine() in which node 3 has no memory, each node is a package, and CPU 7 is not allowed.
inline machine::Machine four_nodes() {
  machine::Machine machine = quad_machine();
  for (machine::Node& node : machine.nodes) node.package = node.id.value();
  machine.nodes.back().memory = {};
  machine.allowed_cpus = CpuSet::range(CpuId(0), CpuId(6));
  return machine;
}

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

}  // namespace homenode
