#include "cli/topology/matrices.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/id_list.h"
#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

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

std::string matrices_text(const machine::Machine& machine) {
  std::string text;
  if (machine.distances) {
    text += matrix_text("distances", provenance_words(machine.distances->provenance),
                        machine.distances->values);
  } else if (machine.nodes.size() > 1) {
    text += "\ndistances: nobody declares any\n";
  }
  for (const machine::PairValues& matrix : machine.pair_values) {
    text +=
        matrix_text(kind_words(matrix.kind), provenance_words(matrix.provenance), matrix.values);
  }
  return text;
}

}  // namespace homenode::cli
