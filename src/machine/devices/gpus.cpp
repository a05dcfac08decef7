#include "machine/devices/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/devices/gpu_figures.h"
#include "machine/devices/tree.h"
#include "machine/kernel_files.h"

namespace homenode::machine {
namespace {

constexpr const char* pci_devices = "/sys/bus/pci/devices";
constexpr const char* nvidia_gpus = "/proc/driver/nvidia/gpus";

/// The number behind a prefix; 0 for nothing behind it.
unsigned number_behind(const std::string& device, std::string_view prefix) {
  unsigned number = 0;
  const auto [end, status] =
      std::from_chars(device.data() + prefix.size(), device.data() + device.size(), number);
  return status == std::errc::result_out_of_range ? std::numeric_limits<unsigned>::max() : number;
}

bool is_prefix_and_digits(const std::string& device, std::string_view prefix) {
  return device.starts_with(prefix) &&
         device.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

/// The names in a folder of the kernel's, in order: PCI addresses sort as numbers do. None where
/// there is no such folder.
Result<std::vector<std::string>> names_in(os::Os& os, const std::string& folder) {
  std::vector<std::string> names;
  const int result = list_kernel_folder(os, folder, names);
  if (result < 0 && result != -ENOENT) {
    return failed(fmt::format("cannot list the GPUs in {}", folder), "give the node's number",
                  -result);
  }
  return names;
}

/// A file with one hexadecimal number, such as 0x030200; 0 where there is none.
Result<unsigned> hexadecimal_in(os::Os& os, const std::string& path) {
  std::string content;
  const int result = read_kernel_file(os, path, content);
  if (result < 0 && result != -ENOENT) {
    return failed(fmt::format("cannot read {}", path), "give the GPU's PCI address", -result);
  }
  unsigned value = 0;
  if (content.starts_with("0x")) {
    std::from_chars(content.data() + 2, content.data() + content.size(), value, 16);
  }
  return value;
}

Result<bool> is_gpu(os::Os& os, const std::string& address) {
  constexpr unsigned display = 0x03;
  constexpr unsigned accelerator = 0x12;
  // Aspeed and Matrox: the picture that a server's management controller sends.
  constexpr std::array console_vendors{0x1a03U, 0x102bU};
  const std::string folder = fmt::format("{}/{}", pci_devices, address);
  const auto kind = hexadecimal_in(os, folder + "/class");
  if (!kind) return kind.as_unexpected();
  if (*kind >> 16U != display && *kind >> 16U != accelerator) return false;
  const auto vendor = hexadecimal_in(os, folder + "/vendor");
  if (!vendor) return vendor.as_unexpected();
  return std::find(console_vendors.begin(), console_vendors.end(), *vendor) ==
         console_vendors.end();
}

/// The addresses of the GPUs on PCI, in order.
Result<std::vector<std::string>> gpus_on_pci(os::Os& os) {
  const auto names = names_in(os, pci_devices);
  if (!names) return names;
  std::vector<std::string> addresses;
  for (const std::string& address : *names) {
    const auto wanted = is_gpu(os, address);
    if (!wanted) return wanted.as_unexpected();
    if (*wanted) addresses.push_back(address);
  }
  return addresses;
}

/// The measured machine that a person has put in place of this one; empty where there is none.
std::string measured_machine(os::Os& os) {
  const char* const file = std::getenv("HWLOC_XMLFILE");
  const char* const stands_for_this = std::getenv("HWLOC_THISSYSTEM");
  std::string xml;
  if (file == nullptr || stands_for_this == nullptr || std::string_view(stands_for_this) != "1" ||
      os.read_file(file, xml) < 0) {
    return "";
  }
  return xml;
}

/// By what was measured, else by what the kernel says.
Result<NodeId> node_of_address(os::Os& os, const std::string& address, const std::string& device) {
  const auto said = node_of_folder(os, fmt::format("{}/{}", pci_devices, address), device);
  const auto figures = parse_gpu_info(find_gpu_info(measured_machine(os), address));
  const auto nearest = nearest_node(figures, said ? std::optional(*said) : std::nullopt);
  return nearest ? Result<NodeId>(*nearest) : said;
}

Result<NodeId> node_of_pci_gpu(os::Os& os, const std::string& device,
                               const std::vector<std::string>& addresses) {
  const unsigned wanted = number_behind(device, "gpu");
  if (wanted >= addresses.size()) return no_such_device(device);
  return node_of_address(os, addresses[wanted], device);
}

/// GPUs that are not on PCI: parts of a system on a chip.
Result<NodeId> node_of_card(os::Os& os, const std::string& device) {
  constexpr unsigned most_cards = 64;
  const unsigned wanted = number_behind(device, "gpu");
  for (unsigned card = 0, seen = 0; card < most_cards; ++card) {
    const std::string folder = fmt::format("/sys/class/drm/card{}", card);
    const auto is_there = is_device_folder(os, folder);
    if (!is_there) return is_there.as_unexpected();
    if (*is_there && seen++ == wanted) return node_of_folder(os, folder, device);
  }
  return no_such_device(device);
}

Result<NodeId> node_of_nvidia(os::Os& os, const std::string& device) {
  constexpr std::string_view name = "Device Minor:";
  const auto addresses = names_in(os, nvidia_gpus);
  if (!addresses) return addresses.as_unexpected();
  for (const std::string& address : *addresses) {
    std::string text;
    const std::string file = fmt::format("{}/{}/information", nvidia_gpus, address);
    if (const int result = read_kernel_file(os, file, text); result < 0) {
      if (result == -ENOENT) continue;
      return failed(fmt::format("cannot read {}", file), "give the GPU's PCI address", -result);
    }
    const std::size_t at = text.find(name);
    if (at == std::string::npos) continue;
    const std::size_t digits = text.find_first_not_of(" \t", at + name.size());
    if (digits == std::string::npos) continue;
    const std::string minor =
        text.substr(digits, text.find_first_not_of("0123456789", digits) - digits);
    if (device == fmt::format("nvidia{}", minor)) {
      return node_of_address(os, address, device);
    }
  }
  return no_such_device(device);
}

}  // namespace

bool names_gpu(const std::string& device) {
  const bool nvidia = is_prefix_and_digits(device, "nvidia") && device != "nvidia";
  return nvidia || is_prefix_and_digits(device, "gpu");
}

Result<NodeId> node_of_gpu(os::Os& os, const std::string& device) {
  if (device.starts_with("nvidia")) return node_of_nvidia(os, device);
  const auto addresses = gpus_on_pci(os);
  if (!addresses) return addresses.as_unexpected();
  return addresses->empty() ? node_of_card(os, device) : node_of_pci_gpu(os, device, *addresses);
}

std::vector<Device> gpu_devices(os::Os& os) {
  std::vector<Device> devices;
  const auto addresses = gpus_on_pci(os);
  if (!addresses) return devices;
  for (const std::string& address : *addresses) {
    const std::string name = fmt::format("gpu{}", devices.size());
    const auto node = node_of_folder(os, fmt::format("{}/{}", pci_devices, address), name);
    devices.push_back({name, "gpu", address, node ? NodeSet{*node} : NodeSet()});
  }
  return devices;
}

}  // namespace homenode::machine
