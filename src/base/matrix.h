// A dense matrix whose rows and columns are named by typed ids (nodes, CPUs, threads), so that a
// sparse node id is never used as an index. Serves machine, access and model.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace homenode {

/// Values [row][column]. A value type. pre for at(): both ids are among rows() and columns().
template <class Row, class Column, class Value = double>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::vector<Row> rows, std::vector<Column> columns, Value initial = Value{})
      : rows_(std::move(rows)),
        columns_(std::move(columns)),
        values_(rows_.size() * columns_.size(), initial) {}

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  [[nodiscard]] bool has(Row row, Column column) const {
    return position(rows_, row) < rows_.size() && position(columns_, column) < columns_.size();
  }
  [[nodiscard]] Value& at(Row row, Column column) { return values_[index(row, column)]; }
  [[nodiscard]] const Value& at(Row row, Column column) const {
    return values_[index(row, column)];
  }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  template <class IdType>
  static std::size_t position(const std::vector<IdType>& ids, IdType id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  }
  [[nodiscard]] std::size_t index(Row row, Column column) const {
    assert(has(row, column));
    return position(rows_, row) * columns_.size() + position(columns_, column);
  }

  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::vector<Value> values_;
};

}  // namespace homenode
