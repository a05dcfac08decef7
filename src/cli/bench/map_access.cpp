#include "cli/bench/map.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_numbers.h"

namespace homenode::cli {
namespace {

using AccessJson = nlohmann::ordered_json;

/// {"provenance", "nodes": [...], "reads": [[...]], "writes": [[...]]}. Rows are
/// threads by rank or the same nodes.
template <class Matrix>
AccessJson matrix_json(const Matrix& matrix) {
  AccessJson reads = AccessJson::array();
  AccessJson writes = AccessJson::array();
  for (const auto row : matrix.rows()) {
    AccessJson read_row = AccessJson::array();
    AccessJson write_row = AccessJson::array();
    for (const NodeId column : matrix.columns()) {
      read_row.push_back(matrix.at(row, column).reads);
      write_row.push_back(matrix.at(row, column).writes);
    }
    reads.push_back(std::move(read_row));
    writes.push_back(std::move(write_row));
  }
  return {{"provenance", access::to_string(access::Provenance::computed)},
          {"nodes", numbers(matrix.columns())},
          {"reads", reads},
          {"writes", writes}};
}

/// Shares of all accesses if every element were at home.
AccessJson expected_json(const access::ElementMatrix& matrix) {
  const access::ElementMatrix shares = access::shares_of(matrix);
  AccessJson rows = AccessJson::array();
  for (const NodeId row : shares.rows()) {
    AccessJson cells = AccessJson::array();
    for (const NodeId column : shares.columns()) cells.push_back(shares.at(row, column));
    rows.push_back(std::move(cells));
  }
  return {{"provenance", "pattern"}, {"nodes", numbers(shares.columns())}, {"shares", rows}};
}

AccessJson penalty_json(const std::optional<access::Penalty>& penalty) {
  if (!penalty) return nullptr;
  return {{"observed", penalty->observed},
          {"expected", penalty->expected},
          {"leakage", penalty->leakage()}};
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

AccessJson thread_matrix_json(const access::ThreadMatrix& matrix) {
  return matrix_json(matrix);
}

void add_access_json(AccessJson& json, const std::optional<trial::AccessReport>& access) {
  for (const char* const key : {"matrices", "expected", "penalty", "accesses_without_node",
                                "local_share", "column_concentration"}) {
    json[key] = nullptr;
  }
  if (!access) return;
  json["matrices"] = matrix_json(access->by_node);
  json["expected"] = expected_json(access->expected);
  json["penalty"] = penalty_json(access->penalty);
  json["accesses_without_node"] = access->accesses_without_node;
  json["local_share"] = access::local_share(access->by_node);
  json["column_concentration"] = access::column_concentration(access->by_node);
}

std::string matrix_text(const access::NodeMatrix& matrix) {
  const std::uint64_t everything = access::total(matrix).total();
  std::string text =
      "\nAccesses in percent, computed from the pattern and an audit of the pages\n(row: the "
      "node that asks; column: where the memory is):\n";
  text += fmt::format("  {:>6}", "node");
  for (NodeId column : matrix.columns()) text += fmt::format("{:>7}", column.value());
  text += '\n';
  for (NodeId row : matrix.rows()) {
    text += fmt::format("  {:>6}", row.value());
    for (NodeId column : matrix.columns()) {
      const std::uint64_t count = matrix.at(row, column).total();
      // An empty cell is shown as such: a matrix is read by its shape first.
      text += count == 0 ? fmt::format("{:>7}", "-")
                         : fmt::format("{:>7.2f}", percent(count, everything));
    }
    text += '\n';
  }
  return text;
}

std::string leakage_text(const access::Penalty& penalty) {
  const double shown = std::round(penalty.leakage() * 1e4) / 1e4;
  return fmt::format("{:.4f}", shown == 0.0 ? 0.0 : shown);
}

std::string shares_text(const trial::AccessReport& access) {
  std::string text = fmt::format("local share          {:.2f} % (the pattern allows {:.2f} %)\n",
                                 100.0 * access::local_share(access.by_node),
                                 100.0 * access::local_share(access.expected));
  text += fmt::format("largest column       {:.2f} %\n",
                      100.0 * access::column_concentration(access.by_node));
  if (access.penalty) {
    text += fmt::format("leakage              {} (mean distance / 10: {:.4f}, at best {:.4f})\n",
                        leakage_text(*access.penalty), access.penalty->observed,
                        access.penalty->expected);
  }
  return text;
}

}  // namespace homenode::cli
