// A table of words in columns, for the text of `where`.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace homenode::cli {

/// Columns are as wide as their widest word and two blanks apart. The first and the last `words`
/// are set flush left, as words are, the others flush right, as numbers are.
class WhereTable {
 public:
  explicit WhereTable(std::vector<std::string> head, std::size_t words = 0)
      : rows_{std::move(head)}, words_(words) {}
  /// pre: as many words as the head has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// One line a row, no blanks at its end.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t words_;
};

}  // namespace homenode::cli
