#include "capi/usable_nodes.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <string>

#include "base/id_list.h"

namespace homenode::capi {
namespace {

constexpr const char* with_memory_file = "/sys/devices/system/node/has_memory";
constexpr const char* status_file = "/proc/self/status";

Unexpected unreadable(const char* path, int result) {
  return failed(fmt::format("cannot read from '{}' which nodes there are", path),
                "check that /sys and /proc are mounted, or name the nodes, as in cyclic@0-3",
                -result);
}

/// "0-3" and what follows the line.
Result<NodeSet> parse_line(std::string_view text, const char* path) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t first = line.find_first_not_of(" \t");
  auto nodes = parse_node_list(line.substr(first == std::string_view::npos ? line.size() : first));
  if (!nodes || nodes->empty()) return unreadable(path, -EINVAL);
  return nodes;
}

/// Nothing on a kernel without NUMA, which has no such file.
Result<std::optional<NodeSet>> nodes_with_memory(os::Os& os) {
  std::string text;
  const int result = os.read_file(with_memory_file, text);
  if (result == -ENOENT) return std::optional<NodeSet>();
  if (result < 0) return unreadable(with_memory_file, result);
  auto nodes = parse_line(text, with_memory_file);
  if (!nodes) return nodes.as_unexpected();
  return std::optional(*std::move(nodes));
}

/// What the cpuset leaves; nothing on a kernel without cpusets, whose file has no such line.
Result<std::optional<NodeSet>> allowed_nodes(os::Os& os) {
  constexpr std::string_view key = "\nMems_allowed_list:";
  std::string text;
  if (const int result = os.read_file(status_file, text); result < 0) {
    return unreadable(status_file, result);
  }
  const std::size_t line = text.find(key);
  if (line == std::string::npos) return std::optional<NodeSet>();
  auto nodes = parse_line(std::string_view(text).substr(line + key.size()), status_file);
  if (!nodes) return nodes.as_unexpected();
  return std::optional(*std::move(nodes));
}

}  // namespace

Result<NodeSet> usable_nodes(os::Os& os) {
  const auto with_memory = nodes_with_memory(os);
  if (!with_memory) return with_memory.as_unexpected();
  const auto allowed = allowed_nodes(os);
  if (!allowed) return allowed.as_unexpected();
  if (*with_memory && *allowed) return **with_memory & **allowed;
  if (*with_memory) return **with_memory;
  if (*allowed && (*allowed)->size() > 1) return unreadable(with_memory_file, -ENOENT);
  return *allowed ? **allowed : NodeSet{NodeId(0)};
}

Result<placement::MemoryRule> read_rule(os::Os& os, std::string_view text) {
  const auto usable = usable_nodes(os);
  if (usable) return placement::parse_memory_rule(text, *usable);
  auto named = placement::parse_memory_rule(text, NodeSet());
  // With any node in their place it is a rule, so it is the nodes that are missing.
  if (!named && placement::parse_memory_rule(text, NodeSet{NodeId(0)})) {
    return usable.as_unexpected();
  }
  return named;
}

}  // namespace homenode::capi
