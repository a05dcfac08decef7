#include "machine/devices/devices.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "machine/devices/gpus.h"
#include "machine/devices/network.h"
#include "machine/devices/tree.h"

namespace homenode::machine {
namespace {

/// A name of one class of devices; what leads elsewhere in the file system is none.
Result<NodeId> node_in_class(os::Os& os, const char* class_name, const std::string& name) {
  const bool plain = !name.empty() && name.find('/') == std::string::npos && name[0] != '.';
  if (!plain) return no_such_device(name);
  return node_of_folder(os, fmt::format("/sys/class/{}/{}", class_name, name), name);
}

Result<NodeId> node_of_file(os::Os& os, const std::string& path) {
  os::FileStatus status;
  if (const int result = os.file_status(path, status); result < 0) {
    return failed(fmt::format("cannot find the node near the file '{}'", path), "check the path",
                  -result);
  }
  const bool is_device = S_ISBLK(status.mode) || S_ISCHR(status.mode);
  const dev_t device = is_device ? status.special_device : status.device;
  const std::string folder = fmt::format(
      "/sys/dev/{}/{}:{}", S_ISCHR(status.mode) ? "char" : "block", major(device), minor(device));
  const auto is_known = is_device_folder(os, folder);
  if (!is_known) return is_known.as_unexpected();
  if (!*is_known) {
    return not_supported(fmt::format("sysfs shows no device for the file '{}'", path),
                         "give the node's number");
  }
  return node_of_folder(os, folder, path);
}

/// [segment:]bus:device[.function], or numactl's colon before the function.
Result<NodeId> node_of_pci(os::Os& os, const std::string& address) {
  std::vector<unsigned> numbers;
  const char* at = address.data();
  const char* const end = at + address.size();
  bool has_function = false;
  while (at <= end) {
    unsigned value = 0;
    const auto [next, status] = std::from_chars(at, end, value, 16);
    if (status != std::errc{}) break;
    numbers.push_back(value);
    at = next;
    if (at == end) break;
    if (*at != ':' && *at != '.') break;
    if (*at == '.') has_function = true;
    ++at;
  }
  const std::size_t places = numbers.size() - (has_function ? 1 : 0);
  if (at != end || numbers.size() < 2 || places < 2 || places > 3) {
    return bad_usage(fmt::format("cannot read '{}' as a PCI address", address),
                     "write it as lspci -D does: 0000:3b:00.0");
  }
  if (places == 2) numbers.insert(numbers.begin(), 0);
  if (!has_function) numbers.push_back(0);
  return node_of_folder(os,
                        fmt::format("/sys/bus/pci/devices/{:04x}:{:02x}:{:02x}.{:x}", numbers[0],
                                    numbers[1], numbers[2], numbers[3]),
                        address);
}

struct Form {
  std::string_view prefix;
  Result<NodeId> (*find)(os::Os& os, const std::string& rest);
};
constexpr std::array forms{
    Form{"netdev:",
         [](os::Os& os, const std::string& rest) { return node_in_class(os, "net", rest); }},
    Form{"block:",
         [](os::Os& os, const std::string& rest) { return node_in_class(os, "block", rest); }},
    Form{"file:", node_of_file},
    Form{"pci:", node_of_pci},
    Form{"ip:",
         [](os::Os& os, const std::string& rest) -> Result<NodeId> {
           const auto interface = interface_towards(rest);
           if (!interface) return interface.as_unexpected();
           return node_in_class(os, "net", *interface);
         }},
};

const Form* form_of(std::string_view text) {
  const auto* const found = std::find_if(forms.begin(), forms.end(), [text](const Form& form) {
    return text.starts_with(form.prefix);
  });
  return found == forms.end() ? nullptr : found;
}

}  // namespace

Result<ListWithDevice> find_device(os::Os& os, const std::string& list) {
  std::size_t start = list.find_first_not_of("!+ \t\n");
  while (start != std::string::npos && start < list.size()) {
    const std::string item = list.substr(start);
    if (const Form* form = form_of(item)) {
      const auto node = form->find(os, item.substr(form->prefix.size()));
      if (!node) return node.as_unexpected();
      return ListWithDevice{list.substr(0, start), *node};
    }
    start = list.find(',', start);
    if (start != std::string::npos) start = list.find_first_not_of(", \t\n", start);
  }
  return ListWithDevice{list, std::nullopt};
}

Result<NodeId> node_near(os::Os& os, const std::string& device) {
  if (const Form* form = form_of(device)) {
    return form->find(os, device.substr(form->prefix.size()));
  }
  if (names_gpu(device)) return node_of_gpu(os, device);
  if (device.find(':') != std::string::npos) return node_of_pci(os, device);
  if (device.empty() || device.find('/') != std::string::npos || device[0] == '.') {
    return no_such_device(device);
  }
  for (const char* class_name : {"net", "block", "nvme", "infiniband", "drm", "accel"}) {
    const std::string folder = fmt::format("/sys/class/{}/{}", class_name, device);
    const auto is_here = is_device_folder(os, folder);
    if (!is_here) return is_here.as_unexpected();
    if (*is_here) return node_of_folder(os, folder, device);
  }
  return no_such_device(device);
}

}  // namespace homenode::machine
