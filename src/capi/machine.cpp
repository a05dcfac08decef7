// The C interface's questions to a machine.
#include "machine/machine.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "capi/guard.h"
#include "capi/handles.h"
#include "homenode/homenode.h"
#include "machine/json.h"
#include "machine/kernel_files.h"
#include "machine/load.h"

namespace homenode::capi {
namespace {

using machine::Machine;
using machine::MatrixKind;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What a handle stands for; NULL when the live machine cannot be read.
const Machine* machine_of(const hn_machine* handle) {
  if (handle != nullptr) return &handle->value;
  const auto live = live_machine();
  return live ? *live : nullptr;
}

Result<Machine> load(const char* source) {
  if (source != nullptr) return machine::load(source);
  return bad_usage("the source is NULL", "pass live, the path of an XML file, or synthetic:…");
}

/// The value between two nodes from the first of these matrices that has it.
double between(const hn_machine* handle, int from, int to, std::vector<MatrixKind> kinds) {
  const Machine* const machine = machine_of(handle);
  if (machine == nullptr || from < 0 || to < 0) return unknown;
  const NodeId row(static_cast<unsigned>(from));
  const NodeId column(static_cast<unsigned>(to));
  for (const MatrixKind kind : kinds) {
    const machine::PairValues* const matrix = machine->find(kind);
    if (matrix == nullptr || !matrix->values.has(row, column)) continue;
    if (const double value = matrix->values.at(row, column); !std::isnan(value)) return value;
  }
  return unknown;
}

}  // namespace
}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.
using homenode::machine::MatrixKind;

extern "C" int hn_machine_json(const char* source, char** json, char** error) {
  if (json != nullptr) *json = nullptr;
  return capi::guarded(error, [&]() -> Result<void> {
    if (json == nullptr) return bad_usage("json is NULL", "pass the address of a char pointer");
    const auto machine = capi::load(source);
    if (!machine) return machine.as_unexpected();
    *json = capi::copy_out(machine::to_json(*machine));
    if (*json == nullptr) return failed("there is no memory for the text", "free some memory");
    return {};
  });
}

extern "C" int hn_machine_load(const char* source, hn_machine** machine, char** error) {
  if (machine != nullptr) *machine = nullptr;
  return capi::guarded(error, [&]() -> Result<void> {
    if (machine == nullptr)
      return bad_usage("machine is NULL", "pass the address of a machine pointer");
    auto loaded = capi::load(source);
    if (!loaded) return loaded.as_unexpected();
    *machine = new hn_machine{*std::move(loaded)};
    return {};
  });
}

extern "C" void hn_machine_free(hn_machine* machine) {
  delete machine;
}

extern "C" size_t hn_machine_nodes(const hn_machine* machine, int* nodes, size_t capacity) {
  return capi::guarded_value<size_t>(0, [&] {
    const auto* const value = capi::machine_of(machine);
    return value == nullptr ? 0 : capi::list_out(value->node_ids(), nodes, capacity);
  });
}

extern "C" size_t hn_machine_cpus(const hn_machine* machine, int node, int* cpus, size_t capacity) {
  return capi::guarded_value<size_t>(0, [&]() -> size_t {
    const auto* const value = capi::machine_of(machine);
    if (value == nullptr) return 0;
    if (node == HN_ALL_NODES) return capi::list_out(value->cpus(), cpus, capacity);
    const auto* const found = node < 0 ? nullptr : value->find(NodeId(static_cast<unsigned>(node)));
    return found == nullptr ? 0 : capi::list_out(found->cpus, cpus, capacity);
  });
}

extern "C" int hn_machine_node_of_cpu(const hn_machine* machine, int cpu) {
  return capi::guarded_value<int>(HN_NO_NODE, [&]() -> int {
    const auto* const value = capi::machine_of(machine);
    if (value == nullptr || cpu < 0) return HN_NO_NODE;
    const auto node = value->node_of(CpuId(static_cast<unsigned>(cpu)));
    return node ? static_cast<int>(node->value()) : HN_NO_NODE;
  });
}

extern "C" double hn_machine_distance(const hn_machine* machine, int from_node, int to_node) {
  return capi::guarded_value(capi::unknown, [&] {
    const auto* const value = capi::machine_of(machine);
    if (value == nullptr || !value->distances || from_node < 0 || to_node < 0) {
      return capi::unknown;
    }
    const NodeId from(static_cast<unsigned>(from_node));
    const NodeId to(static_cast<unsigned>(to_node));
    const auto& distances = value->distances->values;
    return distances.has(from, to) ? distances.at(from, to) : capi::unknown;
  });
}

extern "C" double hn_machine_latency_ns(const hn_machine* machine, int from_node, int to_node) {
  return capi::guarded_value(capi::unknown, [&] {
    return capi::between(machine, from_node, to_node,
                         {MatrixKind::read_latency, MatrixKind::latency});
  });
}

extern "C" double hn_machine_bandwidth_mib_per_s(const hn_machine* machine, int from_node,
                                                 int to_node) {
  return capi::guarded_value(capi::unknown, [&] {
    return capi::between(machine, from_node, to_node,
                         {MatrixKind::read_bandwidth, MatrixKind::bandwidth});
  });
}

extern "C" int64_t hn_machine_memory_bytes(const hn_machine* machine, int node) {
  return capi::guarded_value<int64_t>(-1, [&]() -> int64_t {
    const auto* const value = capi::machine_of(machine);
    if (value == nullptr) return -1;
    std::int64_t bytes = 0;
    bool found = node == HN_ALL_NODES;
    for (const auto& each : value->nodes) {
      const bool meant = node == HN_ALL_NODES || static_cast<int>(each.id.value()) == node;
      if (meant) bytes += static_cast<std::int64_t>(each.memory.value);
      found = found || meant;
    }
    return found ? bytes : -1;
  });
}

extern "C" int64_t hn_node_free_bytes(int node) {
  return capi::guarded_value<int64_t>(-1, [&]() -> int64_t {
    if (node < 0) return -1;
    const NodeId id(static_cast<unsigned>(node));
    const auto free = machine::free_memory(capi::kernel(), {id});
    const auto found = free.find(id);
    return found == free.end() ? -1 : static_cast<std::int64_t>(found->second.value);
  });
}
