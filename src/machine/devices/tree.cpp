#include "machine/devices/tree.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <optional>

#include "machine/kernel_files.h"

namespace homenode::machine {
namespace {

/// How far above a device's own folder its PCI device may lie.
constexpr int most_folders_above = 8;

/// Nothing where there is no such file.
Result<std::optional<std::string>> content_of(os::Os& os, const std::string& path) {
  std::string content;
  const int result = read_kernel_file(os, path, content);
  if (result == -ENOENT || result == -ENOTDIR) return std::optional<std::string>();
  if (result < 0) {
    return failed(fmt::format("cannot read {}", path), "give the node's number", -result);
  }
  return std::optional(std::move(content));
}

/// What numa_node says; -1 where the system does not know, nothing where there is no such file.
Result<std::optional<int>> numa_node_in(os::Os& os, const std::string& folder) {
  const auto content = content_of(os, folder + "/numa_node");
  if (!content) return content.as_unexpected();
  if (!*content) return std::optional<int>();
  int node = -1;
  std::from_chars((*content)->data(), (*content)->data() + (*content)->size(), node);
  return std::optional(node);
}

}  // namespace

Result<bool> is_device_folder(os::Os& os, const std::string& folder) {
  const auto content = content_of(os, folder + "/uevent");
  if (!content) return content.as_unexpected();
  return content->has_value();
}

Unexpected no_such_device(const std::string& device) {
  return bad_usage(fmt::format("there is no device '{}'", device),
                   "'homenode topology' lists the devices; name one such as eth0, nvme0n1 or gpu0");
}

Result<NodeId> node_of_folder(os::Os& os, const std::string& folder, const std::string& device) {
  const auto is_there = is_device_folder(os, folder);
  if (!is_there) return is_there.as_unexpected();
  if (!*is_there) return no_such_device(device);
  // A class entry has the link "device"; a partition has none and lies in its disk's folder. The
  // kernel resolves ".." after the links.
  const auto has_link = is_device_folder(os, folder + "/device");
  if (!has_link) return has_link.as_unexpected();
  std::string at = folder;
  auto node = numa_node_in(os, at);
  for (int above = 0; node && !*node && above < most_folders_above; ++above) {
    at += above == 0 && *has_link ? "/device" : "/..";
    node = numa_node_in(os, at);
  }
  if (!node) return node.as_unexpected();
  if (node->value_or(-1) >= 0) return NodeId(static_cast<unsigned>(**node));
  // Many virtual machines do not say; where there is one node, it is that.
  NodeSet nodes;
  if (read_node_list(os, "online", nodes) == 0 && nodes.size() == 1)
    return nodes.to_vector().front();
  return not_supported(fmt::format("this system does not report which node '{}' is near", device),
                       "give the node's number");
}

}  // namespace homenode::machine
