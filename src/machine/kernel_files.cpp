#include "machine/kernel_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"

namespace homenode::machine {

std::string below_root(const std::string& path) {
  const char* const root = std::getenv("HWLOC_FSROOT");
  return root == nullptr ? path : root + path;
}

std::string node_file(NodeId node, std::string_view name) {
  return fmt::format("{}node{}/{}", node_folder, node.value(), name);
}

std::string_view value_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with(key)) return trimmed(line.substr(key.size()));
  }
  return {};
}

std::optional<Bytes> memory_amount(std::string_view meminfo, std::string_view key) {
  while (!meminfo.empty()) {
    std::string_view line = take_line(meminfo);
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) continue;
    line.remove_prefix(at + key.size());
    const auto kib = number_in(take_word(line));
    if (!kib || *kib > (UINT64_MAX >> 10U)) return std::nullopt;
    return Bytes{*kib << 10U};
  }
  return std::nullopt;
}

std::optional<CpuSet> allowed_cpus_in(std::string_view status) {
  const auto cpus = parse_cpu_list(value_after(status, "Cpus_allowed_list:"));
  return cpus && !cpus->empty() ? std::optional(*cpus) : std::nullopt;
}

std::optional<NodeSet> allowed_nodes_in(std::string_view status) {
  const auto nodes = parse_node_list(value_after(status, "Mems_allowed_list:"));
  return nodes && !nodes->empty() ? std::optional(*nodes) : std::nullopt;
}

int read_kernel_file(os::Os& os, const std::string& path, std::string& content) {
  return os.read_file(below_root(path), content);
}

int list_kernel_folder(os::Os& os, const std::string& path, std::vector<std::string>& names) {
  return os.list_folder(below_root(path), names);
}

int read_node_list(os::Os& os, const char* name, NodeSet& nodes) {
  std::string text;
  if (const int result = read_kernel_file(os, std::string(node_folder) + name, text); result < 0) {
    return result;
  }
  const auto list = parse_node_list(text);
  if (!list || list->empty()) return -EINVAL;
  nodes = *list;
  return 0;
}

std::vector<unsigned> read_node_distances(os::Os& os, NodeId node) {
  std::string text;
  if (read_kernel_file(os, node_file(node, "distance"), text) < 0) return {};
  std::vector<unsigned> distances;
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
    const auto distance = number_in<unsigned>(word);
    if (!distance) return {};
    distances.push_back(*distance);
  }
  return distances;
}

std::map<NodeId, Bytes> free_memory(os::Os& os, const std::vector<NodeId>& nodes) {
  std::map<NodeId, Bytes> free;
  for (NodeId node : nodes) {
    std::string text;
    if (read_kernel_file(os, node_file(node, "meminfo"), text) < 0) continue;
    if (const auto bytes = memory_amount(text, "MemFree:")) free[node] = *bytes;
  }
  return free;
}

std::optional<Bytes> available_memory(os::Os& os) {
  std::string text;
  if (read_kernel_file(os, meminfo_file, text) < 0) return std::nullopt;
  return memory_amount(text, "MemAvailable:");
}

NodeSet allowed_nodes(os::Os& os) {
  std::string status;
  if (read_kernel_file(os, status_file, status) < 0) return {};
  return allowed_nodes_in(status).value_or(NodeSet{});
}

std::map<NodeId, unsigned> memory_tiers(os::Os& os, const std::string& root) {
  constexpr std::string_view start = "memory_tier";
  const std::string folder = root + tier_folder;
  std::map<NodeId, unsigned> tiers;
  std::vector<std::string> names;
  if (os.list_folder(folder, names) < 0) return tiers;
  for (const std::string& name : names) {
    if (!name.starts_with(start)) continue;
    const auto tier = number_in<unsigned>(std::string_view(name).substr(start.size()));
    std::string text;
    if (!tier || os.read_file(fmt::format("{}{}/nodelist", folder, name), text) < 0) continue;
    const auto nodes = parse_node_list(trimmed(text));
    for (NodeId node : nodes ? nodes->to_vector() : std::vector<NodeId>()) tiers[node] = *tier;
  }
  return tiers;
}

}  // namespace homenode::machine
