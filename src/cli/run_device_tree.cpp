#include "cli/run_device_tree.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/run_machine.h"

namespace homenode::cli {
namespace {

/// How far above a device's own folder its PCI device may lie.
constexpr int most_folders_above = 8;

/// What numa_node says; -1 where the system does not know, nothing where there is no such file.
std::optional<int> numa_node_in(os::Os& os, const std::string& folder) {
  std::string content;
  if (read_kernel_file(os, folder + "/numa_node", content) != 0) return std::nullopt;
  int node = -1;
  std::from_chars(content.data(), content.data() + content.size(), node);
  return node;
}

}  // namespace

bool is_device_folder(os::Os& os, const std::string& folder) {
  std::string content;
  return read_kernel_file(os, folder + "/uevent", content) == 0;
}

Unexpected no_such_device(const std::string& device) {
  return bad_usage(fmt::format("there is no device '{}'", device),
                   "'homenode topology' lists the devices; name one such as eth0, nvme0n1 or gpu0");
}

Result<std::string> node_of_folder(os::Os& os, const std::string& folder,
                                   const std::string& device) {
  if (!is_device_folder(os, folder)) return no_such_device(device);
  // A class entry has the link "device"; a partition has none and lies in its disk's folder. The
  // kernel resolves ".." after the links.
  std::string at = folder;
  auto node = numa_node_in(os, at);
  for (int above = 0; !node && above < most_folders_above; ++above) {
    at += above == 0 && is_device_folder(os, folder + "/device") ? "/device" : "/..";
    node = numa_node_in(os, at);
  }
  if (node && *node >= 0) return fmt::format("{}", *node);
  return not_supported(fmt::format("this system does not say which node '{}' is near", device),
                       "name the node itself");
}

}  // namespace homenode::cli
