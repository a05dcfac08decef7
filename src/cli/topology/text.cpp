#include "cli/topology/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/id_list.h"
#include "cli/topology/matrices.h"
#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

using machine::Machine;
using machine::Node;

/// The widths that align the columns of all nodes.
struct Columns {
  std::size_t id = 0;
  std::size_t memory = 0;
};

Columns measure(const Machine& machine) {
  Columns columns;
  for (const Node& node : machine.nodes) {
    columns.id = std::max(columns.id, fmt::formatted_size("{}", node.id.value()));
    columns.memory = std::max(columns.memory, memory_words(node).size());
  }
  return columns;
}

std::string node_text(const Machine& machine, const Node& node, const Columns& columns,
                      bool own_caches, std::string_view branch, std::string_view below) {
  std::string text = fmt::format("{}node {:<{}}  {:>{}}  {}\n", branch, node.id.value(), columns.id,
                                 memory_words(node), columns.memory, cpu_words(node.cpus));
  const std::string blank(columns.id + columns.memory + 9, ' ');
  const auto add = [&](const std::string& words) {
    if (!words.empty()) text += fmt::format("{}{}{}\n", below, blank, words);
  };
  if (own_caches) add(cache_words(machine, node.cpus));
  add(device_words(machine, NodeSet{node.id}));
  return text;
}

std::string tree_text(const Machine& machine, bool own_caches) {
  const Columns columns = measure(machine);
  std::string text;
  for (const NodeGroup& group : node_groups(machine)) {
    if (!group.title.empty()) text += group.title + '\n';
    for (const Node* node : group.nodes) {
      const bool last = node == group.nodes.back();
      const bool flat = group.title.empty();
      text += node_text(machine, *node, columns, own_caches,
                        flat   ? ""
                        : last ? "└─ "
                               : "├─ ",
                        flat   ? ""
                        : last ? "   "
                               : "│  ");
    }
  }
  return text;
}

/// Lines about the machine as a whole, each behind its word.
std::string facts_text(const Machine& machine, const std::optional<std::string>& caches) {
  std::string text;
  const auto add = [&text](std::string_view word, const std::string& words) {
    if (!words.empty()) text += fmt::format("{:<8} {}\n", word, words);
  };
  if (caches) add("caches", *caches);
  for (const NodeSet& nodes : shared_device_places(machine)) {
    const std::string place =
        nodes.empty() ? "of unknown place" : fmt::format("near nodes {}", to_list(nodes));
    add("devices", fmt::format("{}: {}", place, device_words(machine, nodes)));
  }
  if (!machine.offline_cpus.empty()) add("offline", cpu_words(machine.offline_cpus));
  if (const std::string limits = limit_words(machine); !limits.empty()) {
    add("limits", "this process may use only " + limits);
  }
  return text;
}

}  // namespace

std::string topology_text(const Machine& machine) {
  const auto caches = common_cache_words(machine);
  std::string text = machine.name.empty() ? "" : machine.name + ": ";
  text += machine_words(machine) + "\n\n" + tree_text(machine, !caches);
  if (const std::string facts = facts_text(machine, caches); !facts.empty()) text += '\n' + facts;
  return text + matrices_text(machine);
}

}  // namespace homenode::cli
