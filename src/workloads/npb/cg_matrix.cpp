#include "workloads/npb/cg_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "workloads/npb/random.h"

namespace homenode::workloads::npb {
namespace {

constexpr double condition = 0.1;  // NPB's rcond.

/// Where each sparse vector begins, and where each row's list of vectors does.
struct Lists {
  std::vector<std::size_t> vector_begin;
  std::vector<std::size_t> row_begin;
};

/// Draws the vectors one after the other: pairs of value and place, where places that are beyond
/// the matrix or there already are drawn again; then 0.5 at the vector's own number.
void draw_vectors(const CgMatrix& matrix, const CgVectors& vectors, Lists& lists) {
  std::uint64_t state = random_seed;
  random_next(state);  // The specification's main program throws the first number away.
  const auto range = static_cast<double>(std::bit_ceil(matrix.n));
  std::size_t at = 0;
  lists.vector_begin.push_back(0);
  for (std::size_t i = 0; i < matrix.n; ++i) {
    const std::size_t begin = at;
    const auto own = static_cast<std::int32_t>(i);
    while (at < begin + matrix.nonzeros_per_vector) {
      const double value = random_next(state);
      const auto place = static_cast<std::int32_t>(random_next(state) * range);
      if (static_cast<std::size_t>(place) >= matrix.n) continue;
      std::int32_t* const end = vectors.place + at;
      if (std::find(vectors.place + begin, end, place) != end) continue;
      vectors.value[at] = value;
      vectors.place[at++] = place;
    }
    std::int32_t* const end = vectors.place + at;
    std::int32_t* const found = std::find(vectors.place + begin, end, own);
    if (found == end) vectors.place[at++] = own;
    vectors.value[found - vectors.place] = 0.5;
    lists.vector_begin.push_back(at);
  }
}

/// For each row the vectors that are not 0 there, in increasing order.
void list_by_row(const CgMatrix& matrix, const CgVectors& vectors, Lists& lists) {
  const std::size_t count = lists.vector_begin.back();
  lists.row_begin.assign(matrix.n + 1, 0);
  for (std::size_t k = 0; k < count; ++k) {
    ++lists.row_begin[static_cast<std::size_t>(vectors.place[k]) + 1];
  }
  for (std::size_t row = 0; row < matrix.n; ++row) lists.row_begin[row + 1] += lists.row_begin[row];
  std::vector<std::size_t> next(lists.row_begin.begin(), lists.row_begin.end() - 1);
  for (std::size_t i = 0; i < matrix.n; ++i) {
    for (std::size_t k = lists.vector_begin[i]; k < lists.vector_begin[i + 1]; ++k) {
      const auto row = static_cast<std::size_t>(vectors.place[k]);
      vectors.of_row[next[row]++] = static_cast<std::int32_t>(i);
    }
  }
}

/// One row being put together: a sum for each column, and the columns that have one.
class Row {
 public:
  Row(const CgMatrix& matrix, const CgVectors& vectors, const Lists& lists)
      : matrix_(matrix), vectors_(vectors), lists_(lists), sums_(matrix.n), seen_in_(matrix.n) {}

  void put_together(std::size_t row) {
    columns_.clear();
    const auto mark = static_cast<std::uint32_t>(row + 1);
    const auto n = static_cast<double>(matrix_.n);
    for (std::size_t list = lists_.row_begin[row]; list < lists_.row_begin[row + 1]; ++list) {
      const auto i = static_cast<std::size_t>(vectors_.of_row[list]);
      const std::size_t begin = lists_.vector_begin[i];
      const std::size_t end = lists_.vector_begin[i + 1];
      const std::int32_t* const own =
          std::find(vectors_.place + begin, vectors_.place + end, static_cast<std::int32_t>(row));
      const double weight = std::pow(condition, static_cast<double>(i) / n);
      const double scale = weight * vectors_.value[own - vectors_.place];
      for (std::size_t k = begin; k < end; ++k) {
        const std::int32_t column = vectors_.place[k];
        const auto slot = static_cast<std::size_t>(column);
        if (seen_in_[slot] != mark) {
          seen_in_[slot] = mark;
          sums_[slot] = 0.0;
          columns_.push_back(column);
        }
        sums_[slot] += scale * vectors_.value[k];
      }
    }
    sums_[row] += condition - matrix_.shift;  // Vector `row` is not 0 there, so it has a sum.
    std::sort(columns_.begin(), columns_.end());
  }

  [[nodiscard]] std::size_t size() const { return columns_.size(); }

  void write(std::size_t begin) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      matrix_.column[begin + k] = columns_[k];
      matrix_.value[begin + k] = sums_[static_cast<std::size_t>(columns_[k])];
    }
  }

 private:
  const CgMatrix& matrix_;
  const CgVectors& vectors_;
  const Lists& lists_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> seen_in_;  // The last row, from 1, that had this column.
  std::vector<std::int32_t> columns_;
};

}  // namespace

void make_cg_matrix(const CgMatrix& matrix, const CgVectors& vectors, unsigned threads) {
  Lists lists;
  draw_vectors(matrix, vectors, lists);
  list_by_row(matrix, vectors, lists);
  // Sizes first, because a row begins where all before it end.
#pragma omp parallel num_threads(threads)
  {
    Row row(matrix, vectors, lists);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < matrix.n; ++i) {
      row.put_together(i);
      matrix.row_begin[i + 1] = static_cast<std::int64_t>(row.size());
    }
  }
  matrix.row_begin[0] = 0;
  for (std::size_t i = 0; i < matrix.n; ++i) matrix.row_begin[i + 1] += matrix.row_begin[i];
#pragma omp parallel num_threads(threads)
  {
    Row row(matrix, vectors, lists);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < matrix.n; ++i) {
      row.put_together(i);
      row.write(static_cast<std::size_t>(matrix.row_begin[i]));
    }
  }
}

}  // namespace homenode::workloads::npb
