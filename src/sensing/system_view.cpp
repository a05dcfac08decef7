#include "sensing/system_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"
#include "sensing/thread_files.h"

namespace homenode::sensing {
namespace {

std::optional<PageCounters> counters_in(std::string_view text) {
  const auto of = [&](const char* key) {
    std::string_view value = machine::value_after(text, key);
    return number_in(take_word(value)).value_or(0);
  };
  if (text.empty()) return std::nullopt;
  return PageCounters{of("numa_hit "),       of("numa_miss "),  of("numa_foreign "),
                      of("interleave_hit "), of("local_node "), of("other_node ")};
}

class SystemReader {
 public:
  explicit SystemReader(const SystemFiles& files) : files_(files) {}

  Result<SystemView> read() {
    auto nodes = read_nodes(files_, {});
    if (!nodes) return nodes.as_unexpected();
    const auto tiers = machine::memory_tiers(files_.os, files_.root);
    for (NodeFacts& node : *nodes) view_.nodes.push_back(use_of(std::move(node), tiers));
    std::vector<pid_t> pids;
    if (const int result = files_.list_numbers("/proc", pids); result < 0) {
      return failed("cannot list /proc", "check that it is mounted", -result);
    }
    for (pid_t pid : pids) read_process(pid);
    std::sort(view_.processes.begin(), view_.processes.end(),
              [](const ProcessUse& a, const ProcessUse& b) {
                return std::pair(b.resident.value, a.pid) < std::pair(a.resident.value, b.pid);
              });
    add_notes();
    return std::move(view_);
  }

 private:
  NodeUse use_of(NodeFacts node, const std::map<NodeId, unsigned>& tiers) {
    NodeUse use;
    const auto text_of = [&](const std::string& path) {
      std::string text;
      return files_.read(path, text) == 0 ? text : std::string();
    };
    const std::string amounts = text_of(machine::node_file(node.id, "meminfo"));
    const auto amount = [&](const char* key) {
      return machine::memory_amount(amounts, key).value_or(Bytes());
    };
    use.anonymous = amount("AnonPages:");
    use.page_cache = amount("FilePages:");
    use.slab = amount("Slab:");
    use.transparent_huge = amount("AnonHugePages:");
    use.counters = counters_in(text_of(machine::node_file(node.id, "numastat")));
    use.huge_pages = huge_pages_of(node.id);
    if (const auto tier = tiers.find(node.id); tier != tiers.end()) use.tier = tier->second;
    use.node = std::move(node);
    return use;
  }

  std::vector<HugePages> huge_pages_of(NodeId node) {
    constexpr std::string_view start = "hugepages-";
    const std::string folder = machine::node_file(node, "hugepages/");
    std::vector<HugePages> list;
    std::vector<std::string> names;
    if (files_.os.list_folder(files_.root + folder, names) < 0) return list;
    const auto number = [&](const std::string& path) {
      std::string text;
      if (files_.read(path, text) < 0) return std::uint64_t{0};
      std::string_view rest = text;
      return number_in(trimmed(take_line(rest))).value_or(0);
    };
    for (const std::string& name : names) {
      std::string_view digits = name;
      if (!digits.starts_with(start) || !digits.ends_with("kB")) continue;
      digits = digits.substr(start.size(), digits.size() - start.size() - 2);
      const auto kib = number_in(digits);
      if (!kib) continue;
      list.push_back({{*kib << 10U},
                      number(folder + name + "/nr_hugepages"),
                      number(folder + name + "/free_hugepages")});
    }
    std::sort(list.begin(), list.end(), [](const HugePages& a, const HugePages& b) {
      return a.page_size.value < b.page_size.value;
    });
    return list;
  }

  void read_process(pid_t pid) {
    const std::string folder = fmt::format("/proc/{}/", pid);
    std::string text;
    if (files_.read(folder + "stat", text) < 0) return;  // It has ended meanwhile, or is hidden.
    const auto stat = parse_stat(text);
    if (!stat || stat->of_kernel || stat->ended) return;
    ProcessUse process;
    process.pid = pid;
    process.name = stat->name;
    process.resident = bytes_of(stat->resident_pages, {files_.os.page_bytes()});
    if (!read_memory(folder + "numa_maps", process)) return;
    read_threads(folder + "task", *stat, process);
    view_.processes.push_back(std::move(process));
  }

  /// False for a process that has ended meanwhile.
  bool read_memory(const std::string& path, ProcessUse& process) {
    std::string text;
    const int result = files_.read(path, text);
    if (result == -EACCES || result == -EPERM) {
      ++refused_;
      return true;
    }
    if (result == -ENOENT && view_.nodes.size() == 1) {  // A kernel without NUMA.
      process.memory = BytesOnNodes{{view_.nodes.front().node.id, process.resident.value}};
      return true;
    }
    if (result < 0) return false;
    BytesOnNodes memory;
    for (const NumaMapping& mapping : parse_numa_maps(text).mappings) {
      for (const auto& [node, pages] : mapping.pages) {
        memory[node] += bytes_of(pages, mapping.page_size).value;
      }
    }
    process.resident = {sum_of(memory)};
    process.memory = std::move(memory);
    return true;
  }

  void read_threads(const std::string& folder, const TaskStat& first, ProcessUse& process) {
    std::vector<pid_t> ids;
    if (first.threads <= 1 || files_.list_numbers(folder, ids) < 0) {
      process.threads = std::max<std::size_t>(first.threads, 1);
      count_thread(first.last_cpu, process);
      return;
    }
    for (pid_t id : ids) {
      std::string text;
      const bool main = id == process.pid;  // What its file says is known.
      if (!main && files_.read(fmt::format("{}/{}/stat", folder, id), text) < 0) continue;
      const auto stat = main ? std::optional(first) : parse_stat(text);
      if (!stat) continue;
      ++process.threads;
      count_thread(stat->last_cpu, process);
    }
  }

  void count_thread(CpuId cpu, ProcessUse& process) {
    const auto found =
        std::find_if(view_.nodes.begin(), view_.nodes.end(),
                     [&](const NodeUse& use) { return use.node.cpus.contains(cpu); });
    if (found != view_.nodes.end()) ++process.threads_on[found->node.id];
  }

  void add_notes() {
    if (refused_ == 0) return;
    view_.notes.push_back(fmt::format(
        "the memory of {} process{} by node may not be read, as that of other users: run as root "
        "or with CAP_SYS_PTRACE (sudo; docker: --cap-add SYS_PTRACE)",
        refused_, refused_ == 1 ? "" : "es"));
  }

  const SystemFiles& files_;
  SystemView view_;
  std::size_t refused_ = 0;
};

}  // namespace

std::optional<double> local_share(const ProcessUse& process) {
  if (!process.memory || process.resident.value == 0) return std::nullopt;
  std::uint64_t local = 0;
  for (const auto& [node, bytes] : *process.memory) {
    if (process.threads_on.contains(node)) local += bytes;
  }
  return static_cast<double>(local) / static_cast<double>(process.resident.value);
}

Result<SystemView> read_system(const SystemFiles& files) {
  return SystemReader(files).read();
}

}  // namespace homenode::sensing
