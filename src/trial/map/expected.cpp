#include "trial/map/expected.h"

#include "trial/map/plan.h"

namespace homenode::trial {
namespace {

namespace map = workloads::map;

constexpr double local_distance = 10.0;  // ACPI: the distance of a node to itself.

std::optional<double> told_distance(const machine::Machine& machine, NodeId from, NodeId to) {
  if (from == to) return local_distance;
  if (!machine.distances || !machine.distances->values.has(from, to)) return std::nullopt;
  return machine.distances->values.at(from, to);
}

template <class Count>
ElementMatrix scaled(const std::vector<NodeId>& nodes, Count count) {
  ElementMatrix shares(nodes, nodes);
  double sum = 0.0;
  for (NodeId from : nodes) {
    for (NodeId to : nodes) sum += count(from, to);
  }
  if (sum == 0.0) return shares;
  for (NodeId from : nodes) {
    for (NodeId to : nodes) shares.at(from, to) = count(from, to) / sum;
  }
  return shares;
}

}  // namespace

ElementMatrix expected_elements(const machine::Machine& machine, const map::Problem& problem,
                                const std::vector<NodeId>& node_of_thread,
                                const std::vector<NodeId>& nodes) {
  ElementMatrix matrix(nodes, nodes);
  const std::vector<NodeId> memory = memory_of(machine, node_of_thread);
  std::vector<NodeId> homes;
  homes.reserve(node_of_thread.size());
  for (NodeId node : node_of_thread) homes.push_back(memory_node(machine, node));
  for (unsigned rank = 0; rank < problem.threads; ++rank) {
    const NodeId from = node_of_thread[rank];
    if (problem.pattern.use == map::Use::all) {
      const double each =
          static_cast<double>(problem.elements()) / static_cast<double>(memory.size());
      for (NodeId to : memory) matrix.at(from, to) += each;
      continue;
    }
    for (const map::Owned& owned : map::owners_used(problem, rank)) {
      matrix.at(from, homes[owned.owner]) += static_cast<double>(owned.count);
    }
  }
  return matrix;
}

ElementMatrix shares_of(const ElementMatrix& matrix) {
  return scaled(matrix.rows(), [&](NodeId from, NodeId to) { return matrix.at(from, to); });
}

ElementMatrix shares_of(const access::NodeMatrix& matrix) {
  return scaled(matrix.rows(), [&](NodeId from, NodeId to) {
    return static_cast<double>(matrix.at(from, to).total());
  });
}

std::optional<double> penalty_factor(const machine::Machine& machine, const ElementMatrix& matrix) {
  double weighted = 0.0;
  double sum = 0.0;
  for (NodeId from : matrix.rows()) {
    for (NodeId to : matrix.columns()) {
      const double amount = matrix.at(from, to);
      if (amount == 0.0) continue;
      const auto distance = told_distance(machine, from, to);
      if (!distance) return std::nullopt;
      weighted += amount * *distance;
      sum += amount;
    }
  }
  if (sum == 0.0) return std::nullopt;
  return weighted / (local_distance * sum);
}

}  // namespace homenode::trial
