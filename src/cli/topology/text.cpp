#include "cli/topology/text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/id_list.h"
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
  add("tiers", tier_words(machine));
  if (!machine.offline_cpus.empty()) add("offline", cpu_words(machine.offline_cpus));
  if (!machine.cpus_without_node.empty()) {
    add("no node", "has " + cpu_words(machine.cpus_without_node));
  }
  if (const std::string limits = limit_words(machine); !limits.empty()) {
    add("limits", "this process may use only " + limits);
  }
  return text;
}

using Values = Matrix<NodeId, NodeId>;

constexpr std::size_t line_columns = 100;

std::string cell_words(double value) {
  return std::isnan(value) ? "?" : fmt::format("{}", value);
}

std::size_t column_width(const Values& values) {
  std::size_t width = 0;
  for (const auto* ids : {&values.rows(), &values.columns()}) {
    for (NodeId id : *ids) width = std::max(width, fmt::formatted_size("{}", id.value()));
  }
  for (NodeId from : values.rows()) {
    for (NodeId to : values.columns()) {
      width = std::max(width, cell_words(values.at(from, to)).size());
    }
  }
  return width + 2;
}

std::string table_text(const Values& values, std::size_t width) {
  std::string text = fmt::format("{:>{}}", "node", width + 4);
  for (NodeId to : values.columns()) text += fmt::format("{:>{}}", to.value(), width);
  text += '\n';
  for (NodeId from : values.rows()) {
    text += fmt::format("{:>{}}", from.value(), width + 4);
    for (NodeId to : values.columns()) {
      text += fmt::format("{:>{}}", cell_words(values.at(from, to)), width);
    }
    text += '\n';
  }
  return text;
}

/// For matrices too wide for a line: per node, which nodes have which value.
std::string rings_text(const Values& values, std::size_t width) {
  std::string text;
  for (NodeId from : values.rows()) {
    std::map<double, NodeSet> rings;
    NodeSet unknown;
    for (NodeId to : values.columns()) {
      const double value = values.at(from, to);
      (std::isnan(value) ? unknown : rings[value]).insert(to);
    }
    text += fmt::format("  node {:<{}}", from.value(), width);
    const char* separator = "";
    for (const auto& [value, nodes] : rings) {
      text += fmt::format("{}{} to {}", separator, value, to_list(nodes));
      separator = ", ";
    }
    if (!unknown.empty()) text += fmt::format("{}? to {}", separator, to_list(unknown));
    text += '\n';
  }
  return text;
}

/// `what` begins the line above the table, `whose` says where the values come from.
std::string matrix_text(std::string_view what, const std::string& whose, const Values& values) {
  const std::size_t width = column_width(values);
  if (width * (values.columns().size() + 1) + 4 > line_columns) {
    return fmt::format("\n{} ({})\n", what, whose) + rings_text(values, width);
  }
  return fmt::format("\n{} ({}; row: the node that asks, column: where the memory is)\n", what,
                     whose) +
         table_text(values, width);
}

std::string kind_words(machine::MatrixKind kind) {
  std::string words(machine::kind_name(kind));
  std::replace(words.begin(), words.end(), '_', ' ');
  return fmt::format("{} in {}", words, machine::unit_name(kind));
}

}  // namespace

std::vector<NodeGroup> node_groups(const Machine& machine) {
  std::vector<NodeGroup> groups;
  for (const machine::Package& package : machine.packages) {
    groups.push_back({fmt::format("package {}", package.number), {}});
    for (const Node& node : machine.nodes) {
      if (node.package == package.number) groups.back().nodes.push_back(&node);
    }
  }
  const bool packages = !machine.packages.empty();
  NodeGroup across{packages ? "across packages" : "", {}};
  NodeGroup outside{packages ? "outside the packages" : "", {}};
  for (const Node& node : machine.nodes) {
    if (!node.package) (node.cpus.empty() && packages ? outside : across).nodes.push_back(&node);
  }
  groups.push_back(std::move(across));
  groups.push_back(std::move(outside));
  std::erase_if(groups, [](const NodeGroup& group) { return group.nodes.empty(); });
  return groups;
}

std::string matrices_text(const machine::Machine& machine) {
  std::string text;
  if (machine.distances) {
    text += matrix_text("distances", provenance_words(machine.distances->provenance),
                        machine.distances->values);
  } else if (machine.nodes.size() > 1) {
    text += "\ndistances: none declared\n";
  }
  for (const machine::PairValues& matrix : machine.pair_values) {
    text +=
        matrix_text(kind_words(matrix.kind), provenance_words(matrix.provenance), matrix.values);
  }
  return text;
}

std::string topology_text(const Machine& machine) {
  const auto caches = common_cache_words(machine);
  std::string text = machine.name.empty() ? "" : machine.name + ": ";
  text += machine_words(machine) + "\n\n" + tree_text(machine, !caches);
  if (const std::string facts = facts_text(machine, caches); !facts.empty()) text += '\n' + facts;
  return text + matrices_text(machine);
}

}  // namespace homenode::cli
