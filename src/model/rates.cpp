#include "model/rates.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/units.h"

namespace homenode::model {
namespace {

using machine::MatrixKind;
using NodePairs = Matrix<NodeId, NodeId>;

constexpr double local_distance = 10;
constexpr double remote_distance = 20;
constexpr double seconds_per_ns = 1e-9;

NodePairs distances_of(const machine::Machine& machine, Rates& rates) {
  NodePairs found(rates.cpu_nodes, rates.memory_nodes, remote_distance);
  bool missing = false;
  for (const NodeId from : rates.cpu_nodes) {
    for (const NodeId to : rates.memory_nodes) {
      const bool known = machine.distances && machine.distances->values.has(from, to);
      if (known) {
        found.at(from, to) = machine.distances->values.at(from, to);
      } else if (from == to) {
        found.at(from, to) = local_distance;
      } else {
        missing = true;
      }
    }
  }
  if (missing) rates.assumptions.emplace_back("a remote node without a distance is at 20");
  return found;
}

/// The first of these matrices that knows the pair.
std::optional<double> known(const machine::Machine& machine, NodeId from, NodeId to,
                            std::initializer_list<MatrixKind> kinds) {
  for (const MatrixKind kind : kinds) {
    const machine::PairValues* values = machine.find(kind);
    if (values == nullptr || !values->values.has(from, to)) continue;
    const double value = values->values.at(from, to);
    if (!std::isnan(value) && value > 0) return value;
  }
  return std::nullopt;
}

/// How a pair's unknown value follows from the best known one by their distances.
enum class ByDistance { longer, less };

/// The matrix of these kinds; nothing where no pair is known.
std::optional<NodePairs> values_of(const machine::Machine& machine, Rates& rates,
                                   std::initializer_list<MatrixKind> kinds, ByDistance rule) {
  NodePairs found(rates.cpu_nodes, rates.memory_nodes, std::nan(""));
  std::optional<double> at_distance_one;
  bool missing = false;
  for (const NodeId from : rates.cpu_nodes) {
    for (const NodeId to : rates.memory_nodes) {
      const auto value = known(machine, from, to, kinds);
      if (!value) {
        missing = true;
        continue;
      }
      found.at(from, to) = *value;
      const double distance = rates.distance.at(from, to);
      const double one = rule == ByDistance::longer ? *value / distance : *value * distance;
      if (!at_distance_one || from == to) at_distance_one = one;
    }
  }
  if (!at_distance_one) return std::nullopt;
  if (!missing) return found;
  rates.assumptions.push_back(std::string(machine::kind_name(*kinds.begin())) +
                              " of pairs that nobody measured follows from their distances");
  for (const NodeId from : rates.cpu_nodes) {
    for (const NodeId to : rates.memory_nodes) {
      double& value = found.at(from, to);
      const double distance = rates.distance.at(from, to);
      if (!std::isnan(value)) continue;
      value =
          rule == ByDistance::longer ? *at_distance_one * distance : *at_distance_one / distance;
    }
  }
  return found;
}

}  // namespace

Result<Rates> rates_of(const machine::Machine& machine) {
  assert(machine::is_valid(machine));
  Rates rates;
  rates.cpu_nodes = machine.nodes_with_cpus().to_vector();
  rates.memory_nodes = machine.nodes_with_memory().to_vector();
  assert(!rates.cpu_nodes.empty() && !rates.memory_nodes.empty());
  auto links = links_of(machine);
  if (!links) return links.as_unexpected();
  rates.links = std::move(*links);
  rates.distance = distances_of(machine, rates);
  rates.latency_s = values_of(machine, rates, {MatrixKind::read_latency, MatrixKind::latency},
                              ByDistance::longer);
  if (rates.latency_s) {
    for (const NodeId from : rates.cpu_nodes) {
      for (const NodeId to : rates.memory_nodes) rates.latency_s->at(from, to) *= seconds_per_ns;
    }
  }
  const auto reads = values_of(machine, rates, {MatrixKind::read_bandwidth, MatrixKind::bandwidth},
                               ByDistance::less);
  const auto writes = values_of(
      machine, rates, {MatrixKind::write_bandwidth, MatrixKind::bandwidth}, ByDistance::less);
  if (!reads && !writes) return rates;
  if (!reads || !writes) rates.assumptions.emplace_back("reads and writes have one bandwidth");
  const auto mib = static_cast<double>((1_MiB).value);
  rates.path.emplace(rates.cpu_nodes, rates.memory_nodes);
  for (const NodeId from : rates.cpu_nodes) {
    for (const NodeId to : rates.memory_nodes) {
      rates.path->at(from, to) = {(reads ? *reads : *writes).at(from, to) * mib,
                                  (writes ? *writes : *reads).at(from, to) * mib};
    }
  }
  return rates;
}

Bandwidth Rates::controller(NodeId memory) const {
  assert(path);
  Bandwidth most;
  for (const NodeId from : cpu_nodes) {
    const Bandwidth& one = path->at(from, memory);
    most = {std::max(most.read, one.read), std::max(most.write, one.write)};
  }
  return most;
}

NodeId Rates::nearest_memory(NodeId node, const NodeSet& allowed) const {
  std::optional<NodeId> best;
  double least = 0;
  for (const NodeId memory : memory_nodes) {
    if (!allowed.empty() && !allowed.contains(memory)) continue;
    if (memory == node) return memory;
    const double far = distance.has(node, memory) ? distance.at(node, memory) : remote_distance;
    if (best && far >= least) continue;
    best = memory;
    least = far;
  }
  assert(best);
  return *best;
}

}  // namespace homenode::model
