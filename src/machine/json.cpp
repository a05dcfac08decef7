#include "machine/json.h"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/json_numbers.h"

namespace homenode::machine {
namespace {

using Json = nlohmann::ordered_json;

Json known_or_null(std::uint64_t value) {
  return value == 0 ? Json() : Json(value);
}

/// Distances are whole numbers as a rule; they shall look so.
Json number(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

Json nodes_json(const Machine& machine) {
  Json list = Json::array();
  for (const Node& node : machine.nodes) {
    const auto tier = machine.tier_of(node.id);
    list.push_back({{"id", node.id.value()},
                    {"cpus", numbers(node.cpus)},
                    {"memory_bytes", node.memory.value},
                    {"package", node.package ? Json(*node.package) : Json()},
                    {"tier", tier ? Json(*tier) : Json()}});
  }
  return list;
}

Json packages_json(const Machine& machine) {
  Json list = Json::array();
  for (const Package& package : machine.packages) {
    list.push_back({{"id", package.number}, {"cpus", numbers(package.cpus)}});
  }
  return list;
}

Json caches_json(const Machine& machine) {
  Json list = Json::array();
  for (const Cache& cache : machine.caches) {
    list.push_back({{"level", cache.level},
                    {"size_bytes", known_or_null(cache.size.value)},
                    {"ways", known_or_null(cache.ways)},
                    {"line_bytes", known_or_null(cache.line_bytes)},
                    {"cpus", numbers(cache.cpus)}});
  }
  return list;
}

Json devices_json(const Machine& machine) {
  Json list = Json::array();
  for (const Device& device : machine.devices) {
    list.push_back({{"name", device.name},
                    {"kind", device.kind},
                    {"pci", device.pci.empty() ? Json() : Json(device.pci)},
                    {"nodes", numbers(device.nodes)}});
  }
  return list;
}

Json distances_json(const Machine& machine) {
  if (!machine.distances) return {};
  const auto& values = machine.distances->values;
  Json rows = Json::array();
  for (NodeId from : values.rows()) {
    Json row = Json::array();
    for (NodeId to : values.columns()) row.push_back(number(values.at(from, to)));
    rows.push_back(std::move(row));
  }
  return {{"provenance", provenance_name(machine.distances->provenance)},
          {"nodes", numbers(values.rows())},
          {"values", std::move(rows)}};
}

/// Null where nobody says.
Json pair_values_json(const Machine& machine) {
  Json list = Json::array();
  for (const PairValues& matrix : machine.pair_values) {
    Json rows = Json::array();
    for (NodeId row : matrix.values.rows()) {
      Json cells = Json::array();
      for (NodeId column : matrix.values.columns()) {
        const double value = matrix.values.at(row, column);
        cells.push_back(std::isnan(value) ? Json() : number(value));
      }
      rows.push_back(std::move(cells));
    }
    list.push_back({{"kind", kind_name(matrix.kind)},
                    {"unit", unit_name(matrix.kind)},
                    {"provenance", provenance_name(matrix.provenance)},
                    {"from", numbers(matrix.values.rows())},
                    {"to", numbers(matrix.values.columns())},
                    {"values", std::move(rows)}});
  }
  return list;
}

Json info_json(const Machine& machine) {
  Json object = Json::object();
  for (const auto& [name, value] : machine.info) object[name] = value;
  return object;
}

}  // namespace

std::string to_json(const Machine& machine) {
  const Json document = {
      {"schema", "homenode.machine/2"},
      {"name", machine.name},
      {"nodes", nodes_json(machine)},
      {"packages", packages_json(machine)},
      {"offline_cpus", numbers(machine.offline_cpus)},
      {"cpus_without_node", numbers(machine.cpus_without_node)},
      {"caches", caches_json(machine)},
      {"devices", devices_json(machine)},
      {"distances", distances_json(machine)},
      {"pair_values", pair_values_json(machine)},
      {"allowed",
       {{"cpus", numbers(machine.allowed_cpus)}, {"nodes", numbers(machine.allowed_nodes)}}},
      {"info", info_json(machine)}};
  // Names of devices may hold bytes that are no UTF-8; they are replaced rather than refused.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace homenode::machine
