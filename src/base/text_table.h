// Tables as text: columns of cells for a terminal, and lines of CSV. Pure. Serves every verb that
// prints a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace homenode {

/// Cells in columns, as wide as their widest cell and two blanks apart. The first column and the
/// last `text_columns` are set flush left, as text is, the others flush right, as numbers are.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head, std::size_t text_columns = 0)
      : rows_{std::move(head)}, text_columns_(text_columns) {}
  /// pre: as many cells as the head has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// One line a row, no blanks at its end.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t text_columns_;
};

/// "1.50" MiB; "-" for nothing.
std::string mebibytes(std::uint64_t bytes);

/// The cells joined by commas, as RFC 4180 has it, and an end of line; cells with commas, quotes or
/// ends of lines are quoted.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace homenode
