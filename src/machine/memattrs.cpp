#include "machine/memattrs.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "machine/hwloc_reader.h"

namespace homenode::machine {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The value of a target, seen from a set of CPUs.
struct Seen {
  CpuSet cpus;
  double value = unknown;
};

std::vector<Seen> values_of(hwloc_topology_t topology, hwloc_memattr_id_t attribute,
                            hwloc_obj_t target) {
  unsigned count = 0;
  if (hwloc_memattr_get_initiators(topology, attribute, target, 0, &count, nullptr, nullptr) != 0) {
    return {};
  }
  std::vector<hwloc_location> initiators(count);
  std::vector<hwloc_uint64_t> values(count);
  if (hwloc_memattr_get_initiators(topology, attribute, target, 0, &count, initiators.data(),
                                   values.data()) != 0) {
    return {};
  }
  std::vector<Seen> seen;
  for (unsigned i = 0; i < std::min<std::size_t>(count, values.size()); ++i) {
    const auto& place = initiators[i];
    hwloc_const_cpuset_t cpus = place.type == HWLOC_LOCATION_TYPE_CPUSET ? place.location.cpuset
                                : place.location.object != nullptr ? place.location.object->cpuset
                                                                   : nullptr;
    if (auto set = to_set<CpuId>(cpus)) {
      seen.push_back({std::move(*set), static_cast<double>(values[i])});
    }
  }
  return seen;
}

double seen_from(const CpuSet& cpus, const std::vector<Seen>& all) {
  const Seen* best = nullptr;
  for (const Seen& seen : all) {
    if (!cpus.is_subset_of(seen.cpus)) continue;
    if (best == nullptr || seen.cpus.size() < best->cpus.size()) best = &seen;
  }
  return best == nullptr ? unknown : best->value;
}

hwloc_obj_t object_of(hwloc_topology_t topology, NodeId node) {
  return hwloc_get_numanode_obj_by_os_index(topology, node.value());
}

std::string provenance_info(std::string_view what) {
  return std::string(provenance_prefix).append(what);
}

bool id_of(hwloc_topology_t topology, MatrixKind kind, hwloc_memattr_id_t& id) {
  const std::string name(attribute_name(kind));
  return hwloc_memattr_get_by_name(topology, name.c_str(), &id) == 0;
}

void cut(std::string& text, const std::string& start, std::string_view end) {
  for (std::size_t from = text.find(start); from != std::string::npos;
       from = text.find(start, from)) {
    const std::size_t last = text.find(end, from);
    if (last == std::string::npos) return;
    text.erase(from, last + end.size() - from);
  }
}

}  // namespace

Provenance provenance_in(hwloc_topology_t topology, std::string_view what, Provenance given) {
  const char* text =
      hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), provenance_info(what).c_str());
  return text == nullptr ? given : provenance_of(text);
}

std::vector<PairValues> read_pair_values(hwloc_topology_t topology, const Machine& machine,
                                         Provenance given) {
  const auto rows = machine.nodes_with_cpus().to_vector();
  const auto columns = machine.nodes_with_memory().to_vector();
  std::vector<PairValues> matrices;
  for (const MatrixKind kind : all_matrix_kinds) {
    hwloc_memattr_id_t id = 0;
    if (!id_of(topology, kind, id)) continue;
    PairValues matrix{
        kind, {rows, columns, unknown}, provenance_in(topology, attribute_name(kind), given)};
    bool any = false;
    for (NodeId to : columns) {
      const auto seen = values_of(topology, id, object_of(topology, to));
      for (NodeId from : rows) {
        const double value = seen_from(machine.find(from)->cpus, seen);
        matrix.values.at(from, to) = value;
        any = any || !std::isnan(value);
      }
    }
    if (any) matrices.push_back(std::move(matrix));
  }
  return matrices;
}

Result<void> write_pair_values(hwloc_topology_t topology, const std::vector<PairValues>& matrices,
                               const Machine& machine) {
  for (const PairValues& matrix : matrices) {
    hwloc_memattr_id_t id = 0;
    bool good = id_of(topology, matrix.kind, id);
    for (NodeId from : matrix.values.rows()) {
      const Node* node = machine.find(from);
      hwloc_location place{};
      place.type = HWLOC_LOCATION_TYPE_CPUSET;
      place.location.cpuset = hwloc_bitmap_alloc();
      good = good && node != nullptr && place.location.cpuset != nullptr;
      for (CpuId cpu : node == nullptr ? std::vector<CpuId>() : node->cpus.to_vector()) {
        good = good && hwloc_bitmap_set(place.location.cpuset, cpu.value()) == 0;
      }
      for (NodeId to : matrix.values.columns()) {
        const double value = matrix.values.at(from, to);
        if (!good || std::isnan(value)) continue;
        hwloc_obj_t target = object_of(topology, to);
        good = target != nullptr &&
               hwloc_memattr_set_value(topology, id, target, &place, 0,
                                       static_cast<hwloc_uint64_t>(std::llround(value))) == 0;
      }
      hwloc_bitmap_free(place.location.cpuset);
    }
    if (!good) {
      return failed(fmt::format("hwloc cannot hold the {} of these nodes", kind_name(matrix.kind)),
                    "report this as a bug, and describe the machine", errno);
    }
    hwloc_obj_add_info(hwloc_get_root_obj(topology),
                       provenance_info(attribute_name(matrix.kind)).c_str(),
                       std::string(provenance_name(matrix.provenance)).c_str());
  }
  return {};
}

std::string without_pair_values(std::string xml, const std::vector<PairValues>& matrices) {
  for (const PairValues& matrix : matrices) {
    const std::string_view name = attribute_name(matrix.kind);
    cut(xml, fmt::format("<memattr name=\"{}\"", name), "</memattr>");
    cut(xml, fmt::format("<info name=\"{}{}\"", provenance_prefix, name), "/>");
  }
  return xml;
}

}  // namespace homenode::machine
