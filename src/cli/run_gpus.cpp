#include "cli/run_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "cli/run_device_tree.h"
#include "cli/run_machine.h"

namespace homenode::cli {
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

/// The names in a folder of the kernel's, in order: PCI addresses sort as numbers do.
std::vector<std::string> names_in(const std::string& folder) {
  const char* const root = std::getenv("HWLOC_FSROOT");
  std::vector<std::string> names;
  std::error_code ignored;
  const std::filesystem::path path = root == nullptr ? folder : root + folder;
  for (std::filesystem::directory_iterator entry(path, ignored), end; entry != end;
       entry.increment(ignored)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A file with one hexadecimal number, such as 0x030200; 0 where there is none.
unsigned hexadecimal_in(os::Os& os, const std::string& path) {
  std::string content;
  if (read_kernel_file(os, path, content) != 0 || !content.starts_with("0x")) return 0;
  unsigned value = 0;
  std::from_chars(content.data() + 2, content.data() + content.size(), value, 16);
  return value;
}

bool is_gpu(os::Os& os, const std::string& address) {
  constexpr unsigned display = 0x03;
  constexpr unsigned accelerator = 0x12;
  // Aspeed and Matrox: the picture that a server's management controller sends.
  constexpr std::array console_vendors{0x1a03U, 0x102bU};
  const std::string folder = fmt::format("{}/{}", pci_devices, address);
  const unsigned kind = hexadecimal_in(os, folder + "/class") >> 16U;
  if (kind != display && kind != accelerator) return false;
  const unsigned vendor = hexadecimal_in(os, folder + "/vendor");
  return std::find(console_vendors.begin(), console_vendors.end(), vendor) == console_vendors.end();
}

Result<std::string> node_of_pci_gpu(os::Os& os, const std::string& device,
                                    const std::vector<std::string>& addresses) {
  const unsigned wanted = number_behind(device, "gpu");
  if (wanted >= addresses.size()) return no_such_device(device);
  return node_of_folder(os, fmt::format("{}/{}", pci_devices, addresses[wanted]), device);
}

/// GPUs that are not on PCI: parts of a system on a chip.
Result<std::string> node_of_card(os::Os& os, const std::string& device) {
  constexpr unsigned most_cards = 64;
  const unsigned wanted = number_behind(device, "gpu");
  for (unsigned card = 0, seen = 0; card < most_cards; ++card) {
    const std::string folder = fmt::format("/sys/class/drm/card{}", card);
    if (is_device_folder(os, folder) && seen++ == wanted) return node_of_folder(os, folder, device);
  }
  return no_such_device(device);
}

Result<std::string> node_of_nvidia(os::Os& os, const std::string& device) {
  constexpr std::string_view name = "Device Minor:";
  for (const std::string& address : names_in(nvidia_gpus)) {
    std::string text;
    if (read_kernel_file(os, fmt::format("{}/{}/information", nvidia_gpus, address), text) != 0) {
      continue;
    }
    const std::size_t at = text.find(name);
    if (at == std::string::npos) continue;
    const std::size_t digits = text.find_first_not_of(" \t", at + name.size());
    if (digits == std::string::npos) continue;
    const std::string minor =
        text.substr(digits, text.find_first_not_of("0123456789", digits) - digits);
    if (device == fmt::format("nvidia{}", minor)) {
      return node_of_folder(os, fmt::format("{}/{}", pci_devices, address), device);
    }
  }
  return no_such_device(device);
}

}  // namespace

bool names_gpu(const std::string& device) {
  const bool nvidia = is_prefix_and_digits(device, "nvidia") && device != "nvidia";
  return nvidia || is_prefix_and_digits(device, "gpu");
}

Result<std::string> node_of_gpu(os::Os& os, const std::string& device) {
  if (device.starts_with("nvidia")) return node_of_nvidia(os, device);
  std::vector<std::string> addresses = names_in(pci_devices);
  std::erase_if(addresses, [&os](const std::string& address) { return !is_gpu(os, address); });
  return addresses.empty() ? node_of_card(os, device) : node_of_pci_gpu(os, device, addresses);
}

}  // namespace homenode::cli
