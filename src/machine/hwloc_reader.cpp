#include "machine/hwloc_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "machine/memattrs.h"

namespace homenode::machine {
namespace {

constexpr std::string_view info_prefix = "homenode:";

CpuSet cpus_of_object(hwloc_obj_t object) {
  return to_set<CpuId>(object->cpuset).value_or(CpuSet());
}

const char* info_of(hwloc_obj_t object, const char* name) {
  return hwloc_obj_get_info_by_name(object, name);
}

hwloc_obj_t package_above(hwloc_obj_t object) {
  while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
  return object;
}

/// The operating system's package numbers, or hwloc's where a system gives none or one twice.
class PackageNumbers {
 public:
  explicit PackageNumbers(hwloc_topology_t topology) {
    std::set<unsigned> seen;
    for (hwloc_obj_t package = nullptr;
         (package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, package)) != nullptr;) {
      const bool fresh = seen.insert(package->os_index).second;
      if (!fresh || package->os_index == HWLOC_UNKNOWN_INDEX) from_system_ = false;
    }
  }
  [[nodiscard]] unsigned of(hwloc_obj_t package) const {
    return from_system_ ? package->os_index : package->logical_index;
  }

 private:
  bool from_system_ = true;
};

/// HBM, persistent, CXL or GPU memory: kinds that firmware puts into nodes without CPUs.
bool is_special_memory(hwloc_obj_t node) {
  return node->subtype != nullptr || info_of(node, "DAXDevice") != nullptr;
}

/// hwloc's cpuset of a node is where the node is attached, which several nodes may share; each CPU
/// goes to one of them (load.h says by which rule).
std::vector<Node> read_nodes(hwloc_topology_t topology, const PackageNumbers& numbers) {
  struct Candidate {
    hwloc_obj_t object;
    CpuSet cpus;
  };
  std::vector<Candidate> candidates;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr;) {
    candidates.push_back({object, cpus_of_object(object)});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(is_special_memory(a.object), a.cpus.size(), a.object->os_index) <
           std::tuple(is_special_memory(b.object), b.cpus.size(), b.object->os_index);
  });
  std::vector<Node> nodes;
  CpuSet taken;
  for (const Candidate& candidate : candidates) {
    Node node{NodeId(candidate.object->os_index), candidate.cpus - taken,
              Bytes{candidate.object->attr->numanode.local_memory}, std::nullopt};
    if (hwloc_obj_t package = package_above(candidate.object)) node.package = numbers.of(package);
    nodes.push_back(std::move(node));
    taken = taken | candidate.cpus;
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  return nodes;
}

std::vector<Package> read_packages(hwloc_topology_t topology, const PackageNumbers& numbers) {
  std::vector<Package> packages;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object)) != nullptr;) {
    packages.push_back({numbers.of(object), cpus_of_object(object)});
  }
  std::sort(packages.begin(), packages.end(),
            [](const Package& a, const Package& b) { return a.number < b.number; });
  return packages;
}

unsigned positive_or_unknown(long value) {
  return value > 0 ? static_cast<unsigned>(value) : 0;
}

std::vector<Cache> read_caches(hwloc_topology_t topology) {
  std::vector<Cache> caches;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; ++type) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, static_cast<hwloc_obj_type_t>(type),
                                              object)) != nullptr;) {
      const auto& attributes = object->attr->cache;
      caches.push_back(
          {attributes.depth, Bytes{attributes.size}, positive_or_unknown(attributes.associativity),
           positive_or_unknown(static_cast<long>(attributes.linesize)), cpus_of_object(object)});
    }
  }
  return caches;
}

std::string device_kind(hwloc_obj_osdev_type_t type) {
  switch (type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
      return "block";
    case HWLOC_OBJ_OSDEV_GPU:
      return "gpu";
    case HWLOC_OBJ_OSDEV_NETWORK:
      return "network";
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
      return "fabric";
    case HWLOC_OBJ_OSDEV_DMA:
      return "dma";
    case HWLOC_OBJ_OSDEV_COPROC:
      return "coprocessor";
    default:
      return "other";
  }
}

std::string pci_address(hwloc_obj_t device) {
  for (hwloc_obj_t above = device->parent; above != nullptr; above = above->parent) {
    if (above->type != HWLOC_OBJ_PCI_DEVICE) continue;
    const auto& pci = above->attr->pcidev;
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
  }
  return "";
}

std::vector<Device> read_devices(hwloc_topology_t topology) {
  std::vector<Device> devices;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_osdev(topology, object)) != nullptr;) {
    hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, object);
    // Attached to the whole machine of several nodes means that nobody knows where it is.
    const bool known =
        near != nullptr && (near->parent != nullptr || hwloc_bitmap_weight(near->nodeset) == 1);
    devices.push_back({object->name != nullptr ? object->name : "",
                       device_kind(object->attr->osdev.type), pci_address(object),
                       known ? to_set<NodeId>(near->nodeset).value_or(NodeSet()) : NodeSet()});
  }
  std::sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) {
    return std::tie(a.kind, a.name, a.pci) < std::tie(b.kind, b.name, b.pci);
  });
  return devices;
}

/// The nodes' relative distances as the operating system gave them; measured latencies and
/// bandwidths that a file may hold besides are not these.
std::optional<Distances> read_distances(hwloc_topology_t topology, Provenance provenance) {
  hwloc_distances_s* found[8] = {};
  unsigned count = 8;
  if (hwloc_distances_get_by_depth(
          topology, HWLOC_TYPE_DEPTH_NUMANODE, &count, found,
          HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0) {
    return std::nullopt;
  }
  count = std::min(count, 8U);
  std::optional<Distances> distances;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned size = found[i]->nbobjs;
    const char* name = hwloc_distances_get_name(topology, found[i]);
    const bool wanted = name == nullptr || std::string_view(name) == "NUMALatency";
    if (!distances && wanted && size > 0) {
      std::vector<NodeId> ids;
      for (unsigned k = 0; k < size; ++k) ids.emplace_back(found[i]->objs[k]->os_index);
      std::vector<NodeId> sorted = ids;
      std::sort(sorted.begin(), sorted.end());
      distances = Distances{{sorted, sorted}, provenance};
      for (unsigned from = 0; from < size; ++from) {
        for (unsigned to = 0; to < size; ++to) {
          distances->values.at(ids[from], ids[to]) =
              static_cast<double>(found[i]->values[from * size + to]);
        }
      }
    }
    hwloc_distances_release(topology, found[i]);
  }
  return distances;
}

/// Every id is one that a set can hold; a file may say anything or leave a node's number out.
bool has_sensible_ids(hwloc_topology_t topology) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (node->os_index > max_list_id || !to_set<CpuId>(node->cpuset)) return false;
  }
  return to_set<CpuId>(hwloc_topology_get_topology_cpuset(topology)) &&
         to_set<NodeId>(hwloc_topology_get_topology_nodeset(topology));
}

}  // namespace

Result<Machine> read_machine(hwloc_topology_t topology, Provenance given,
                             const std::string& source) {
  const auto inconsistent = [&](std::string_view what) {
    return failed(fmt::format("the machine '{}' is inconsistent: {}", source, what),
                  "correct it, or capture it again with lstopo");
  };
  if (!has_sensible_ids(topology)) {
    return inconsistent(fmt::format("a CPU or a node has no number, or one above {}", max_list_id));
  }
  Machine machine;
  const PackageNumbers numbers(topology);
  machine.nodes = read_nodes(topology, numbers);
  machine.packages = read_packages(topology, numbers);
  machine.caches = read_caches(topology);
  machine.devices = read_devices(topology);
  machine.distances = read_distances(topology, provenance_in(topology, distances_word, given));
  machine.pair_values = read_pair_values(topology, machine, given);
  const auto complete = to_set<CpuId>(hwloc_topology_get_complete_cpuset(topology));
  const auto online = to_set<CpuId>(hwloc_topology_get_topology_cpuset(topology));
  if (complete && online) machine.offline_cpus = *complete - *online;
  if (online) machine.cpus_without_node = *online - machine.cpus();
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();

  hwloc_obj_t root = hwloc_get_root_obj(topology);
  for (unsigned i = 0; i < root->infos_count; ++i) {
    const std::string_view name = root->infos[i].name;
    if (name.starts_with(info_prefix) && !name.starts_with(provenance_prefix)) {
      machine.info.emplace_back(name.substr(info_prefix.size()), root->infos[i].value);
    }
  }
  if (const char* name = info_of(root, "homenode:Name"))
    machine.name = name;
  else if (const char* product = info_of(root, "DMIProductName"))
    machine.name = product;

  if (machine.cpus().empty() && machine.cpus_without_node.empty()) {
    return inconsistent("it has no CPUs");
  }
  if (!is_valid(machine))
    return inconsistent("its nodes, packages or distances contradict each other");
  return machine;
}

void apply_limits(hwloc_topology_t topology, Machine& machine) {
  if (const auto cpus = to_set<CpuId>(hwloc_topology_get_allowed_cpuset(topology))) {
    machine.allowed_cpus = machine.allowed_cpus & *cpus;
  }
  if (const auto nodes = to_set<NodeId>(hwloc_topology_get_allowed_nodeset(topology))) {
    machine.allowed_nodes = machine.allowed_nodes & *nodes;
  }
  if (hwloc_topology_is_thissystem(topology) == 0) return;
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  if (bound != nullptr && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0) {
    if (const auto cpus = to_set<CpuId>(bound)) machine.allowed_cpus = machine.allowed_cpus & *cpus;
  }
  hwloc_bitmap_free(bound);
}

}  // namespace homenode::machine
