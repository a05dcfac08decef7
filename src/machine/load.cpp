#include "machine/load.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "machine/devices/gpus.h"
#include "machine/hwloc_reader.h"
#include "machine/hwloc_source.h"
#include "machine/kernel_files.h"
#include "machine/plausible.h"
#include "os/linux.h"

namespace homenode::machine {
namespace {

/// What the kernel shows and hwloc does not; empty where nothing is lost. hwloc leaves out nodes
/// that are the memory of NVIDIA's GPUs, and have no CPUs.
std::string find_loss(const Machine& kernel, const Machine& found, bool with_gpus) {
  for (const Node& node : kernel.nodes) {
    const Node* const same = found.find(node.id);
    if (same == nullptr && with_gpus && node.cpus.empty()) continue;
    if (same == nullptr) return fmt::format("node {}", node.id.value());
    if (!node.cpus.is_subset_of(same->cpus)) return fmt::format("CPUs of node {}", node.id.value());
    if (node.memory.value > 0 && same->memory.value == 0) {
      return fmt::format("the memory of node {}", node.id.value());
    }
  }
  return "";
}

/// Where the kernel has the devices of a kind.
const char* class_folder(std::string_view kind) {
  if (kind == "network") return "/sys/class/net/";
  if (kind == "block") return "/sys/class/block/";
  if (kind == "gpu") return "/sys/class/drm/";
  if (kind == "fabric") return "/sys/class/infiniband/";
  if (kind == "dma") return "/sys/class/dma/";
  return nullptr;
}

/// "0000:3b:00.1": hexadecimal digits and separators, where a PCI device has them.
bool is_pci_address(std::string_view text) {
  constexpr std::string_view tail = "XX:XX.X";  // Bus, device and function, after the domain.
  if (text.size() < tail.size() + 5 || text[text.size() - tail.size() - 1] != ':') return false;
  const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  const std::string_view end = text.substr(text.size() - tail.size());
  for (std::size_t i = 0; i < tail.size(); ++i) {
    if (tail[i] == 'X' ? !is_digit(end[i]) : end[i] != tail[i]) return false;
  }
  return std::ranges::all_of(text.substr(0, text.size() - tail.size() - 1), is_digit);
}

/// The kernel's own path of a device leads through the PCI device that it is a part of.
void find_pci_addresses(std::vector<Device>& devices) {
  for (Device& device : devices) {
    const char* const folder = class_folder(device.kind);
    if (!device.pci.empty() || folder == nullptr) continue;
    std::error_code error;
    const auto path = std::filesystem::canonical(below_root(folder + device.name), error);
    for (const auto& part : path) {
      if (is_pci_address(part.native())) device.pci = part.native();
    }
  }
}

/// GPUs that hwloc did not name: its part for PCI is left out, and their drivers need no DRM card.
void add_gpus(const std::vector<Device>& gpus, Machine& machine) {
  std::vector<Device>& devices = machine.devices;
  for (Device gpu : gpus) {
    const bool named = std::ranges::any_of(devices, [&](const Device& device) {
      return device.kind == "gpu" && device.pci == gpu.pci;
    });
    gpu.nodes = gpu.nodes & machine.node_ids();
    if (!named) devices.push_back(std::move(gpu));
  }
  std::ranges::sort(devices, {}, [](const Device& device) {
    return std::tie(device.kind, device.name, device.pci);
  });
}

/// With these, hwloc shows another machine.
bool shows_another_machine() {
  return std::getenv("HWLOC_XMLFILE") != nullptr || std::getenv("HWLOC_SYNTHETIC") != nullptr;
}

/// The machine is this one, or that of a folder with a kernel's files.
bool shows_the_kernel(hwloc_topology_t topology) {
  return hwloc_topology_is_thissystem(topology) != 0 || std::getenv("HWLOC_FSROOT") != nullptr;
}

Result<void> hold_against_kernel(const FileReader& read, Machine& machine) {
  const FileReader read_below_root = [&](const std::string& path, std::string& content) {
    return read(below_root(path), content);
  };
  const auto kernel = load_quick(read_below_root);
  if (!kernel && kernel.error().errno_value == ENOENT) return {};  // A system without such files.
  if (!kernel) return kernel.as_unexpected();
  std::string driver;
  const bool with_gpus = read_below_root("/proc/driver/nvidia/version", driver) == 0;
  if (const std::string loss = find_loss(*kernel, machine, with_gpus); !loss.empty()) {
    return failed(fmt::format("hwloc did not see {}", loss),
                  "check whether a limit (ulimit -n) or a sandbox keeps it from reading /sys");
  }
  machine.allowed_cpus = machine.allowed_cpus & kernel->allowed_cpus;
  machine.allowed_nodes = machine.allowed_nodes & kernel->allowed_nodes;
  return {};
}

}  // namespace

Result<Machine> load_live() {
  return load_live(FileReader());
}

Result<Machine> load_live(const FileReader& read) {
  const auto topology = shows_another_machine() ? open_live() : open_live_without_pci();
  if (!topology) return topology.as_unexpected();
  auto machine = read_machine(topology->get(), Provenance::firmware, "live");
  if (!machine) return machine;
  if (!shows_another_machine()) find_pci_addresses(machine->devices);
  apply_limits(topology->get(), *machine);
  if (read && shows_the_kernel(topology->get())) {
    if (auto held = hold_against_kernel(read, *machine); !held) return held.as_unexpected();
  }
  forget_absurd_values(*machine);
  // In the lab the firmware names QEMU's board; the driver says which machine that stands for.
  const char* in_lab = std::getenv("HOMENODE_LAB");
  if (in_lab != nullptr && *in_lab != '\0') machine->name = in_lab;
  return machine;
}

Result<Machine> read_live_machine() {
  os::Linux os;
  auto machine = load_live(
      [&os](const std::string& path, std::string& content) { return os.read_file(path, content); });
  if (machine && !shows_another_machine()) {
    machine->memory_tiers = memory_tiers(os, below_root(""));
    add_gpus(gpu_devices(os), *machine);
  }
  return machine;
}

Result<Machine> load_xml(const std::string& path) {
  const auto topology = open_xml(path);
  if (!topology) return topology.as_unexpected();
  auto machine = read_machine(topology->get(), Provenance::declared, path);
  if (!machine) return machine;
  if (const std::string problem = find_figure_problem(*machine); !problem.empty()) {
    return failed(fmt::format("the machine '{}' is inconsistent: {}", path, problem),
                  "correct it, or measure it again with 'homenode measure'");
  }
  if (machine->name.empty()) machine->name = std::filesystem::path(path).stem().string();
  return machine;
}

Result<Machine> load_synthetic(const std::string& description) {
  const auto topology = open_synthetic(description);
  if (!topology) return topology.as_unexpected();
  return read_machine(topology->get(), Provenance::declared, description);
}

Result<Machine> load(const std::string& source) {
  if (source == "live") return load_live();
  if (source.starts_with(synthetic_prefix))
    return load_synthetic(source.substr(synthetic_prefix.size()));
  return load_xml(source);
}

}  // namespace homenode::machine
