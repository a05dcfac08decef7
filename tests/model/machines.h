// The machine and programs that the tests of the models share.
#pragma once

#include "machine/machine.h"
#include "model/program.h"

namespace homenode::model {

inline constexpr NodeId node0{0};
inline constexpr NodeId node4{4};
inline constexpr NodeId node7{7};

/// Nodes 0 and 4 with two CPUs each, node 7 with memory alone. 100 ns at home, 200 ns to the other,
/// 400 ns to node 7; 8000 MiB/s at home, half of it to others, a quarter to node 7; writes cost
/// twice.
inline machine::Machine three_nodes() {
  using machine::MatrixKind;
  machine::Machine machine;
  const auto cpus = [](unsigned first) { return CpuSet{CpuId(first), CpuId(first + 1)}; };
  machine.nodes = {
      {node0, cpus(0), 64_MiB, {}}, {node4, cpus(2), 64_MiB, {}}, {node7, {}, 64_MiB, {}}};
  const std::vector<NodeId> rows{node0, node4};
  const std::vector<NodeId> columns{node0, node4, node7};
  Matrix<NodeId, NodeId> distance(columns, columns, 20);
  for (const NodeId node : columns) distance.at(node, node) = 10;
  machine.distances = machine::Distances{distance};
  Matrix<NodeId, NodeId> latency(rows, columns, 200);
  Matrix<NodeId, NodeId> read(rows, columns, 4000);
  for (const NodeId node : rows) {
    latency.at(node, node) = 100;
    latency.at(node, node7) = 400;
    read.at(node, node) = 8000;
    read.at(node, node7) = 2000;
  }
  Matrix<NodeId, NodeId> write = read;
  for (const NodeId from : rows) {
    for (const NodeId to : columns) write.at(from, to) /= 2;
  }
  machine.pair_values = {{MatrixKind::latency, latency},
                         {MatrixKind::read_bandwidth, read},
                         {MatrixKind::write_bandwidth, write}};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

/// One MiB that the threads read once each, or divide among them. In lines of 64 bytes.
inline Object one_mebibyte(std::size_t threads, bool divided) {
  Object object;
  object.name = "array";
  object.pages = 256;
  object.pages_per_block = 64;
  object.uses.assign(threads * object.blocks(), Lines{});
  const double lines_of_block = 64 * 4096 / 64;
  for (std::size_t block = 0; block < object.blocks(); ++block) {
    object.first_users.push_back(block * threads / object.blocks());
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const bool uses = !divided || thread == object.first_users.back();
      if (uses) object.uses[thread * object.blocks() + block].reads = lines_of_block;
    }
  }
  return object;
}

}  // namespace homenode::model
