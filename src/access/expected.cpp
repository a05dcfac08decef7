#include "access/expected.h"

#include "base/id_set.h"

namespace homenode::access {
namespace {

constexpr double local_distance = 10.0;  // ACPI: the distance of a node to itself.

std::optional<double> declared_distance(const machine::Machine& machine, NodeId from, NodeId to) {
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

ElementMatrix expected_elements(const ElementUse& use, const std::vector<NodeId>& nodes) {
  NodeSet homes;
  for (NodeId home : use.home_of_thread) homes.insert(home);
  const std::vector<NodeId> memory = homes.to_vector();
  ElementMatrix matrix(nodes, nodes);
  for (std::size_t rank = 0; rank < use.node_of_thread.size(); ++rank) {
    const NodeId from = use.node_of_thread[rank];
    for (const UsedElements& used : use.used_by_thread[rank]) {
      const auto count = static_cast<double>(used.count);
      if (used.owner) {
        matrix.at(from, use.home_of_thread[*used.owner]) += count;
        continue;
      }
      for (NodeId to : memory) matrix.at(from, to) += count / static_cast<double>(memory.size());
    }
  }
  return matrix;
}

ElementMatrix shares_of(const ElementMatrix& matrix) {
  return scaled(matrix.rows(), [&](NodeId from, NodeId to) { return matrix.at(from, to); });
}

ElementMatrix shares_of(const NodeMatrix& matrix) {
  return scaled(matrix.rows(), [&](NodeId from, NodeId to) {
    return static_cast<double>(matrix.at(from, to).total());
  });
}

double local_share(const ElementMatrix& matrix) {
  const ElementMatrix shares = shares_of(matrix);
  double local = 0.0;
  for (NodeId node : shares.rows()) local += shares.at(node, node);
  return local;
}

std::optional<double> penalty_factor(const machine::Machine& machine, const ElementMatrix& matrix) {
  double weighted = 0.0;
  double sum = 0.0;
  for (NodeId from : matrix.rows()) {
    for (NodeId to : matrix.columns()) {
      const double amount = matrix.at(from, to);
      if (amount == 0.0) continue;
      const auto distance = declared_distance(machine, from, to);
      if (!distance) return std::nullopt;
      weighted += amount * *distance;
      sum += amount;
    }
  }
  if (sum == 0.0) return std::nullopt;
  return weighted / (local_distance * sum);
}

std::optional<Penalty> penalty_of(const machine::Machine& machine, const NodeMatrix& observed,
                                  const ElementMatrix& expected) {
  const auto happened = penalty_factor(machine, shares_of(observed));
  const auto possible = penalty_factor(machine, expected);
  if (!happened || !possible) return std::nullopt;
  return Penalty{*happened, *possible};
}

}  // namespace homenode::access
