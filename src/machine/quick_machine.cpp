#include "machine/quick_machine.h"

#include <cerrno>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "base/id_list.h"
#include "machine/kernel_files.h"

namespace homenode::machine {
namespace {

Unexpected unreadable(const std::string& path, int result) {
  return failed(fmt::format("cannot read this machine's nodes from '{}'", path),
                "check that /sys and /proc are mounted", -result);
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
      Node node{id, {}, {}, std::nullopt};
      const std::string cpu_map = node_file(id, "cpumap");
      if (const auto read = take(cpu_map); !read) return read;
      if (!parse_cpu_map(text_, node.cpus)) return unreadable(cpu_map, -EINVAL);
      node.cpus = (node.cpus & online_) - taken;
      taken = taken | node.cpus;
      if (const auto read = take(node_file(id, "meminfo")); !read) return read;
      node.memory = memory_amount(text_, "MemTotal:").value_or(Bytes{});
      machine_.nodes.push_back(std::move(node));
    }
    return {};
  }

  /// A kernel without NUMA.
  Result<void> read_one_node() {
    if (const auto read = take(meminfo_file); !read) return read;
    machine_.nodes.push_back(
        {NodeId(0), online_, memory_amount(text_, "MemTotal:").value_or(Bytes{}), std::nullopt});
    return {};
  }

  Result<void> apply_limits() {
    machine_.allowed_cpus = machine_.cpus();
    machine_.allowed_nodes = machine_.node_ids();
    if (const auto read = take(status_file, true); !read) return read;
    if (const auto cpus = allowed_cpus_in(text_)) {
      machine_.allowed_cpus = machine_.allowed_cpus & *cpus;
    }
    const auto nodes = allowed_nodes_in(text_);
    if (!nodes) return {};
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

Result<Machine> read_quick_machine(os::Os& os) {
  return load_quick([&os](const std::string& path, std::string& content) {
    return read_kernel_file(os, path, content);
  });
}

}  // namespace homenode::machine
