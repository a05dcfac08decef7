#include "capi/usable_nodes.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <string>

#include "machine/kernel_files.h"

namespace homenode::capi {
namespace {

constexpr const char* with_memory = "has_memory";

std::string with_memory_file() {
  return std::string(machine::node_folder) + with_memory;
}

Unexpected unreadable(const std::string& path, int result) {
  return failed(fmt::format("cannot read this machine's nodes from '{}'", path),
                "check that /sys and /proc are mounted, or name the nodes, as in cyclic@0-3",
                -result);
}

/// Nothing on a kernel without NUMA, which has no such file.
Result<std::optional<NodeSet>> nodes_with_memory(os::Os& os) {
  NodeSet nodes;
  const int result = machine::read_node_list(os, with_memory, nodes);
  if (result == -ENOENT) return std::optional<NodeSet>();
  if (result < 0) return unreadable(with_memory_file(), result);
  return std::optional(std::move(nodes));
}

/// What the cpuset leaves; nothing on a kernel without cpusets, whose file has no such line.
Result<std::optional<NodeSet>> allowed_nodes(os::Os& os) {
  std::string text;
  if (const int result = machine::read_kernel_file(os, machine::status_file, text); result < 0) {
    return unreadable(machine::status_file, result);
  }
  const auto nodes = machine::allowed_nodes_in(text);
  const bool says = text.find("\nMems_allowed_list:") != std::string::npos;
  if (says && !nodes) return unreadable(machine::status_file, -EINVAL);
  return nodes;
}

}  // namespace

Result<NodeSet> usable_nodes(os::Os& os) {
  const auto known = nodes_with_memory(os);
  if (!known) return known.as_unexpected();
  const auto allowed = allowed_nodes(os);
  if (!allowed) return allowed.as_unexpected();
  if (*known && *allowed) return **known & **allowed;
  if (*known) return **known;
  if (*allowed && (*allowed)->size() > 1) return unreadable(with_memory_file(), -ENOENT);
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
