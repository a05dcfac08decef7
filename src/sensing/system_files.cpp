#include "sensing/system_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"

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
  node.total = machine::memory_amount(text, "MemTotal:").value_or(Bytes{});
  node.free = machine::memory_amount(text, "MemFree:").value_or(Bytes{});
}

/// A list of CPUs in a file; empty where there is none.
CpuSet read_cpus(const SystemFiles& files, const std::string& path) {
  std::string text;
  if (files.read(path, text) < 0) return {};
  std::string_view rest = text;
  const auto cpus = parse_cpu_list(trimmed(take_line(rest)));
  return cpus ? *cpus : CpuSet{};
}

std::vector<NodeFacts> only_node(const SystemFiles& files) {
  NodeFacts node;
  set_cpus(node, files, std::string(machine::cpu_folder) + "online");
  set_memory(node, files, machine::meminfo_file);
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

int SystemFiles::list_threads(pid_t pid, std::vector<pid_t>& threads) const {
  constexpr int most_lists = 8;  // Of a process that makes threads all the time.
  threads.clear();
  for (int lists = 0; lists < most_lists; ++lists) {
    std::vector<pid_t> listed;
    const int result = list_numbers(fmt::format("/proc/{}/task", pid), listed);
    if (result < 0) return result;
    std::vector<pid_t> all;
    std::set_union(threads.begin(), threads.end(), listed.begin(), listed.end(),
                   std::back_inserter(all));
    if (all.size() == threads.size()) break;
    threads = std::move(all);
  }
  return 0;
}

Result<std::vector<NodeFacts>> read_nodes(const SystemFiles& files, const NodeSet& allowed) {
  const std::string list = std::string(machine::node_folder) + "online";
  std::string text;
  const int result = files.read(list, text);
  if (result == -ENOENT && allowed.size() <= 1) return only_node(files);
  std::string_view rest = text;
  const auto online = parse_node_list(trimmed(take_line(rest)));
  if (result < 0 || !online || online->empty()) {
    return failed(fmt::format("cannot read this machine's nodes from '{}'", list),
                  "check that /sys is mounted", result < 0 ? -result : EINVAL);
  }
  std::vector<NodeFacts> nodes;
  for (NodeId id : online->to_vector()) {
    NodeFacts node;
    node.id = id;
    set_cpus(node, files, machine::node_file(id, "cpulist"));
    set_memory(node, files, machine::node_file(id, "meminfo"));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string cgroup_in(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with("0::")) return std::string(line.substr(3));
  }
  return {};
}

CpuSet cpuset_of(const SystemFiles& files, pid_t pid) {
  std::string text;
  if (files.read(fmt::format("/proc/{}/cgroup", pid), text) == 0) {
    std::string path = cgroup_in(text);
    while (!path.empty()) {
      const std::string folder = path == "/" ? "" : path;
      const CpuSet cpus = read_cpus(files, "/sys/fs/cgroup" + folder + "/cpuset.cpus.effective");
      if (!cpus.empty()) return cpus;
      path.resize(path == "/" ? 0 : std::max<std::size_t>(path.rfind('/'), 1));
    }
  }
  return read_cpus(files, std::string(machine::cpu_folder) + "online");
}

}  // namespace homenode::sensing
