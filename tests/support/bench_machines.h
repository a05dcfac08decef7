// Small machines to plan and run benchmarks on.
#pragma once

#include "fake/fake.h"
#include "machine/machine.h"

namespace homenode {

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
  os::FakeMachine model;
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    model.nodes.insert(NodeId(cpu / 2));
    model.node_of_cpu[CpuId(cpu)] = NodeId(cpu / 2);
  }
  return model;
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

}  // namespace homenode
