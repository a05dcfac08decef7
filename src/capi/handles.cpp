#include "capi/handles.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/id_list.h"
#include "machine/load.h"
#include "os/linux.h"

namespace homenode::capi {
namespace {

constinit std::atomic<os::Os*> instead = nullptr;

/// "0-3" and a newline, as the kernel writes a list into a file; nothing when it cannot be read.
std::optional<NodeSet> read_nodes(os::Os& os, const std::string& path) {
  std::string text;
  if (os.read_file(path, text) < 0) return std::nullopt;
  auto nodes = parse_node_list(text.substr(0, text.find('\n')));
  if (!nodes) return std::nullopt;
  return *std::move(nodes);
}

/// What the cpuset leaves, from /proc/self/status.
std::optional<NodeSet> allowed_nodes(os::Os& os) {
  constexpr std::string_view key = "\nMems_allowed_list:";
  std::string text;
  if (os.read_file("/proc/self/status", text) < 0) return std::nullopt;
  const std::size_t line = text.find(key);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t begin = text.find_first_not_of(" \t", line + key.size());
  auto nodes = parse_node_list(text.substr(begin, text.find('\n', begin) - begin));
  if (!nodes) return std::nullopt;
  return *std::move(nodes);
}

}  // namespace

os::Os& kernel() {
  if (os::Os* const other = instead.load(); other != nullptr) return *other;
  static os::Os& os = *new os::Linux;
  return os;
}

void use_kernel(os::Os* os) {
  instead.store(os);
}

Result<const machine::Machine*> live_machine() {
  static std::mutex& lock = *new std::mutex;
  static const machine::Machine* live = nullptr;
  const std::lock_guard guard(lock);
  if (live == nullptr) {
    auto loaded = machine::load_live();
    if (!loaded) return loaded.as_unexpected();
    live = new machine::Machine(*std::move(loaded));
  }
  return live;
}

NodeSet usable_nodes(os::Os& os) {
  const auto with_memory = read_nodes(os, "/sys/devices/system/node/has_memory");
  const auto allowed = allowed_nodes(os);
  if (with_memory && allowed) return *with_memory & *allowed;
  if (with_memory) return *with_memory;
  // A kernel without NUMA has no such files and one node.
  return allowed && allowed->size() == 1 ? *allowed : NodeSet{NodeId(0)};
}

}  // namespace homenode::capi
