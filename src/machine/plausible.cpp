#include "machine/plausible.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace homenode::machine {
namespace {

constexpr double max_distance = 255;  // ACPI's value for nodes that cannot reach each other.
constexpr double max_asymmetry = 2;
constexpr Bytes max_memory{std::uint64_t{1} << 60};

double limit_of(MatrixKind kind) {
  return is_latency(kind) ? max_latency_ns : max_bandwidth_mib_per_s;
}

bool is_absurd(MatrixKind kind, double value) {
  return !std::isnan(value) && !(value > 0 && value <= limit_of(kind));
}

std::string pair_words(std::string_view what, NodeId from, NodeId to) {
  std::string name(what);
  std::replace(name.begin(), name.end(), '_', ' ');
  return fmt::format("its {} from node {} to node {}", name, from.value(), to.value());
}

std::string range_problem(const PairValues& matrix) {
  for (NodeId from : matrix.values.rows()) {
    for (NodeId to : matrix.values.columns()) {
      const double value = matrix.values.at(from, to);
      if (!is_absurd(matrix.kind, value)) continue;
      return fmt::format("{} is {} {}, which is not between 1 and {}",
                         pair_words(kind_name(matrix.kind), from, to), value,
                         unit_name(matrix.kind), limit_of(matrix.kind));
    }
  }
  return "";
}

/// What no link and no memory controller explains.
std::string order_problem(const PairValues& matrix) {
  if (!is_latency(matrix.kind) || matrix.provenance != Provenance::declared) return "";
  const auto& values = matrix.values;
  for (NodeId from : values.rows()) {
    for (NodeId to : values.rows()) {
      if (from == to || !values.has(from, to)) continue;
      const double there = values.at(from, to);
      if (values.has(to, from) && there > max_asymmetry * values.at(to, from)) {
        return fmt::format("{} is {} ns, but {} ns the other way",
                           pair_words(kind_name(matrix.kind), from, to), there,
                           values.at(to, from));
      }
      if (values.has(from, from) && values.at(from, from) > there) {
        return fmt::format("{} is {} ns, less than the {} ns to its own memory",
                           pair_words(kind_name(matrix.kind), from, to), there,
                           values.at(from, from));
      }
    }
  }
  return "";
}

std::string distance_problem(const Machine& machine) {
  if (!machine.distances) return "";
  const auto& values = machine.distances->values;
  for (NodeId from : values.rows()) {
    for (NodeId to : values.columns()) {
      const double value = values.at(from, to);
      if (value > 0 && value <= max_distance) continue;
      return fmt::format("{} is {}, which is not between 1 and {}",
                         pair_words("distance", from, to), value, max_distance);
    }
  }
  return "";
}

}  // namespace

std::string find_figure_problem(const Machine& machine) {
  for (const Node& node : machine.nodes) {
    if (node.memory <= max_memory) continue;
    return fmt::format("its node {} has {} bytes of memory", node.id.value(), node.memory.value);
  }
  if (std::string problem = distance_problem(machine); !problem.empty()) return problem;
  for (const PairValues& matrix : machine.pair_values) {
    if (std::string problem = range_problem(matrix); !problem.empty()) return problem;
    if (std::string problem = order_problem(matrix); !problem.empty()) return problem;
  }
  return "";
}

void forget_absurd_values(Machine& machine) {
  for (PairValues& matrix : machine.pair_values) {
    for (NodeId from : matrix.values.rows()) {
      for (NodeId to : matrix.values.columns()) {
        double& value = matrix.values.at(from, to);
        if (is_absurd(matrix.kind, value)) value = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  std::erase_if(machine.pair_values, [](const PairValues& matrix) {
    for (NodeId from : matrix.values.rows()) {
      for (NodeId to : matrix.values.columns()) {
        if (!std::isnan(matrix.values.at(from, to))) return false;
      }
    }
    return true;
  });
}

}  // namespace homenode::machine
