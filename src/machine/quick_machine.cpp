#include "machine/quick_machine.h"

#include <cerrno>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "base/id_list.h"

namespace homenode::machine {
namespace {

constexpr const char* node_folder = "/sys/devices/system/node/";
constexpr const char* cpu_folder = "/sys/devices/system/cpu/";

Unexpected unreadable(const std::string& path, int result) {
  return failed(fmt::format("cannot read this machine's nodes from '{}'", path),
                "check that /sys and /proc are mounted", -result);
}

/// The value after `key` at the start of a line, blanks taken off; empty when there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::string_view rest = text.substr(at + key.size());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
  }
  return {};
}

/// A kernel bitmap such as "ff,00000000": groups of 32 bits in hexadecimal, the highest first.
bool parse_cpu_map(std::string_view text, CpuSet& cpus) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  unsigned lowest = 0;
  while (!text.empty()) {
    const std::size_t comma = text.rfind(',');
    const std::string_view group = comma == std::string_view::npos ? text : text.substr(comma + 1);
    unsigned bits = 0;
    const auto [end, status] = std::from_chars(group.data(), group.data() + group.size(), bits, 16);
    if (status != std::errc{} || end != group.data() + group.size()) return false;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((bits >> bit & 1U) != 0) cpus.insert(CpuId(lowest + bit));
    }
    lowest += 32;
    text = comma == std::string_view::npos ? std::string_view() : text.substr(0, comma);
  }
  return lowest > 0;
}

/// MemTotal of a meminfo file, whose lines begin with "Node 0 " for a node's.
Bytes memory_of(std::string_view meminfo, const std::string& prefix) {
  const std::string_view value = value_of(meminfo, prefix + "MemTotal:");
  std::uint64_t kib = 0;
  std::from_chars(value.data(), value.data() + value.size(), kib);
  return Bytes{kib << 10};
}

class QuickReader {
 public:
  explicit QuickReader(const FileReader& read) : read_(read) {}

  Result<Machine> run() {
    if (const auto read = read_cpus(); !read) return read.as_unexpected();
    if (const auto read = read_nodes(); !read) return read.as_unexpected();
    if (const auto read = apply_limits(); !read) return read.as_unexpected();
    if (is_valid(machine_) && !machine_.cpus().empty()) return std::move(machine_);
    return failed("the kernel's list of nodes contradicts itself",
                  "compare /sys/devices/system/node with /sys/devices/system/cpu/online");
  }

 private:
  /// The file's content into text_. Where it may be missing, an empty content stands for that.
  Result<void> take(const std::string& path, bool may_be_missing = false) {
    text_.clear();
    const int result = read_(path, text_);
    if (result == 0 || (may_be_missing && result == -ENOENT)) return {};
    return unreadable(path, result);
  }

  Result<void> read_cpus() {
    if (const auto read = take(std::string(cpu_folder) + "online"); !read) return read;
    auto online = parse_cpu_list(text_);
    if (!online) return online.as_unexpected();
    online_ = std::move(*online);
    if (const auto read = take(std::string(cpu_folder) + "present", true); !read) return read;
    if (const auto present = parse_cpu_list(text_)) machine_.offline_cpus = *present - online_;
    return {};
  }

  Result<void> read_nodes() {
    if (const auto read = take(std::string(node_folder) + "online", true); !read) return read;
    if (text_.empty()) return read_one_node();
    const auto ids = parse_node_list(text_);
    if (!ids) return ids.as_unexpected();
    CpuSet taken;
    for (NodeId id : ids->to_vector()) {
      const std::string folder = fmt::format("{}node{}/", node_folder, id.value());
      Node node{id, {}, {}, std::nullopt};
      if (const auto read = take(folder + "cpumap"); !read) return read;
      if (!parse_cpu_map(text_, node.cpus)) return unreadable(folder + "cpumap", -EINVAL);
      node.cpus = (node.cpus & online_) - taken;
      taken = taken | node.cpus;
      if (const auto read = take(folder + "meminfo"); !read) return read;
      node.memory = memory_of(text_, fmt::format("Node {} ", id.value()));
      machine_.nodes.push_back(std::move(node));
    }
    return {};
  }

  /// A kernel without NUMA.
  Result<void> read_one_node() {
    if (const auto read = take("/proc/meminfo"); !read) return read;
    machine_.nodes.push_back({NodeId(0), online_, memory_of(text_, ""), std::nullopt});
    return {};
  }

  Result<void> apply_limits() {
    machine_.allowed_cpus = machine_.cpus();
    machine_.allowed_nodes = machine_.node_ids();
    if (const auto read = take("/proc/self/status", true); !read) return read;
    const auto cpus = parse_cpu_list(value_of(text_, "Cpus_allowed_list:"));
    if (cpus && !cpus->empty()) machine_.allowed_cpus = machine_.allowed_cpus & *cpus;
    const auto nodes = parse_node_list(value_of(text_, "Mems_allowed_list:"));
    if (!nodes || nodes->empty()) return {};
    if (machine_.nodes_with_memory().is_subset_of(*nodes)) return {};
    machine_.allowed_nodes = machine_.allowed_nodes & *nodes;
    return {};
  }

  const FileReader& read_;
  std::string text_;
  CpuSet online_;
  Machine machine_;
};

}  // namespace

Result<Machine> load_quick(const FileReader& read) {
  return QuickReader(read).run();
}

}  // namespace homenode::machine
