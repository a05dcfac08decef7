#include "sensing/system_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/id_list.h"
#include "base/sizes.h"
#include "sensing/words.h"

namespace homenode::sensing {
namespace {

void set_cpus(NodeFacts& node, const SystemFiles& files, const std::string& path) {
  std::string text;
  node.cpus_known = files.read(path, text) == 0;
  if (!node.cpus_known) return;
  std::string_view rest = text;
  if (const auto cpus = parse_cpu_list(trimmed(take_line(rest)))) node.cpus = *cpus;
}

void set_memory(NodeFacts& node, const SystemFiles& files, const std::string& path) {
  std::string text;
  node.memory_known = files.read(path, text) == 0;
  if (!node.memory_known) return;
  node.total = memory_amount(text, "MemTotal:");
  node.free = memory_amount(text, "MemFree:");
}

std::vector<NodeFacts> only_node(const SystemFiles& files) {
  NodeFacts node;
  set_cpus(node, files, "/sys/devices/system/cpu/online");
  set_memory(node, files, "/proc/meminfo");
  return {node};
}

}  // namespace

int SystemFiles::list_numbers(const std::string& path, std::vector<pid_t>& numbers) const {
  numbers.clear();
  std::vector<std::string> names;
  if (const int result = os.list_folder(root + path, names); result < 0) return result;
  for (const std::string& name : names) {
    if (const auto number = number_in<pid_t>(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return 0;
}

Result<std::vector<NodeFacts>> read_nodes(const SystemFiles& files, const NodeSet& allowed) {
  constexpr const char* list = "/sys/devices/system/node/online";
  std::string text;
  const int result = files.read(list, text);
  if (result == -ENOENT && allowed.size() <= 1) return only_node(files);
  std::string_view rest = text;
  const auto online = parse_node_list(trimmed(take_line(rest)));
  if (result < 0 || !online || online->empty()) {
    return failed(fmt::format("cannot read from {} which nodes there are", list),
                  "check that /sys is mounted", result < 0 ? -result : EINVAL);
  }
  std::vector<NodeFacts> nodes;
  for (NodeId id : online->to_vector()) {
    const std::string folder = fmt::format("/sys/devices/system/node/node{}", id.value());
    NodeFacts node;
    node.id = id;
    set_cpus(node, files, folder + "/cpulist");
    set_memory(node, files, folder + "/meminfo");
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Bytes memory_amount(std::string_view meminfo, std::string_view key) {
  while (!meminfo.empty()) {
    std::string_view line = take_line(meminfo);
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) continue;
    line.remove_prefix(at + key.size());
    const auto kib = number_in(take_word(line));
    return {kib && *kib <= (UINT64_MAX >> 10U) ? *kib << 10U : 0};
  }
  return {};
}

}  // namespace homenode::sensing
