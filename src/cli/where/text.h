// A survey as text, and the parts that the text of a receipt has too. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sensing/job.h"
#include "sensing/survey.h"

namespace homenode::cli {

/// Groups by nodes, mappings by nodes (the `mappings` largest), threads by nodes, and which
/// mappings are not as their policy says.
std::string where_text(const sensing::Survey& survey, std::size_t mappings);

/// One line for each rank, with a verdict.
std::string job_text(const std::vector<sensing::JobRank>& ranks);

/// The nodes that a table shows: all when they are few, else those with pages or threads, in order.
std::vector<NodeId> shown_nodes(const sensing::Survey& survey);

/// "1.50" MiB; "-" for nothing.
std::string mebibytes(std::uint64_t bytes);

/// Cells in columns, as wide as their widest cell and two blanks apart. The first column and the
/// last `text_columns` are set flush left, as text is, the others flush right, as numbers are.
class WhereTable {
 public:
  explicit WhereTable(std::vector<std::string> head, std::size_t text_columns = 0)
      : rows_{std::move(head)}, text_columns_(text_columns) {}
  /// pre: as many cells as the head has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// One line a row, no blanks at its end.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t text_columns_;
};

}  // namespace homenode::cli
