#include "access/access_matrix.h"

#include <algorithm>
#include <cassert>

namespace homenode::access {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string to_string(Provenance provenance) {
  switch (provenance) {
    case Provenance::exact:
      return "exact";
    case Provenance::sampled:
      return "sampled";
    case Provenance::computed:
      break;
  }
  return "computed";
}

NodeMatrix fold(const ThreadMatrix& by_thread, const std::vector<NodeId>& node_of_thread,
                const std::vector<NodeId>& nodes) {
  assert(node_of_thread.size() == by_thread.rows().size());
  NodeMatrix by_node(nodes, nodes);
  for (std::size_t row = 0; row < node_of_thread.size(); ++row) {
    for (NodeId memory : by_thread.columns()) {
      by_node.at(node_of_thread[row], memory) += by_thread.at(by_thread.rows()[row], memory);
    }
  }
  return by_node;
}

Counts total(const NodeMatrix& matrix) {
  Counts sum;
  for (NodeId row : matrix.rows()) {
    for (NodeId column : matrix.columns()) sum += matrix.at(row, column);
  }
  return sum;
}

double local_share(const NodeMatrix& matrix) {
  std::uint64_t local = 0;
  for (NodeId node : matrix.rows()) {
    if (matrix.has(node, node)) local += matrix.at(node, node).total();
  }
  return share(local, total(matrix).total());
}

double column_concentration(const NodeMatrix& matrix) {
  std::uint64_t largest = 0;
  for (NodeId column : matrix.columns()) {
    std::uint64_t sum = 0;
    for (NodeId row : matrix.rows()) sum += matrix.at(row, column).total();
    largest = std::max(largest, sum);
  }
  return share(largest, total(matrix).total());
}

}  // namespace homenode::access
