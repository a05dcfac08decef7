#include "launch/allocation_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id_list.h"
#include "placement/policies/weights.h"

namespace homenode::launch {
namespace {

const machine::PairValues* bandwidths_of(const machine::Machine& machine) {
  const auto* const reads = machine.find(machine::MatrixKind::read_bandwidth);
  return reads != nullptr ? reads : machine.find(machine::MatrixKind::bandwidth);
}

/// What the source that gets most out of the node gets; 0 where nobody says.
double best_bandwidth(const machine::PairValues& values, NodeId node) {
  double best = 0;
  for (NodeId from : values.values.rows()) {
    if (!values.values.has(from, node)) continue;
    const double bandwidth = values.values.at(from, node);
    if (!std::isnan(bandwidth)) best = std::max(best, bandwidth);
  }
  return best;
}

}  // namespace

Result<std::string> with_machine_weights(const machine::Machine& machine, std::string_view rule) {
  NodeSet nodes = machine.allowed_nodes & machine.nodes_with_memory();
  if (const std::size_t at = rule.find('@'); at != std::string_view::npos) {
    const auto named = parse_node_list(rule.substr(at + 1));
    if (!named || named->empty()) {
      return bad_usage(fmt::format("cannot read the nodes of '{}'", rule),
                       "write them as a list such as 0-3,8");
    }
    nodes = *named;
  }
  const machine::PairValues* const values = bandwidths_of(machine);
  std::map<NodeId, double> bandwidths;
  for (NodeId node : nodes.to_vector()) {
    const double bandwidth = values == nullptr ? 0 : best_bandwidth(*values, node);
    if (bandwidth > 0) {
      bandwidths[node] = bandwidth;
      continue;
    }
    return not_supported(
        fmt::format("'{}' takes its weights from the machine, which does not tell the bandwidth of "
                    "node {}",
                    rule, node.value()),
        "write weights (weighted:2,1), or measure them: 'homenode measure --output machine.xml', "
        "and "
        "set HWLOC_XMLFILE=machine.xml HWLOC_THISSYSTEM=1");
  }
  const placement::Weights weights = placement::best_weights(bandwidths);
  std::string text;
  for (const auto& [node, weight] : weights.of_node) {
    text += fmt::format("{}{}", text.empty() ? "weighted:" : ",", weight);
  }
  return fmt::format("{}@{}", text, to_list(nodes));
}

}  // namespace homenode::launch
