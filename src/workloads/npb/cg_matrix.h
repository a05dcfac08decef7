// CG's matrix: the sum of outer products of sparse random vectors, with weights that fall from 1 to
// a tenth, so that its condition is known; as compressed rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::workloads::npb {

/// pre of all pointers: as long as their comment says, of any content.
struct CgMatrix {
  std::size_t n = 0;
  std::size_t nonzeros_per_vector = 0;  ///< Drawn for each of the n vectors.
  double shift = 0.0;                   ///< Taken off the diagonal.
  double* value = nullptr;              ///< cg_most_values().
  std::int32_t* column = nullptr;       ///< As many.
  std::int64_t* row_begin = nullptr;    ///< n + 1.
};

/// One sparse vector after the other, as drawn, and for each row which of them are not 0 there.
struct CgVectors {
  double* value = nullptr;         ///< n * (nonzeros + 1).
  std::int32_t* place = nullptr;   ///< As many.
  std::int32_t* of_row = nullptr;  ///< As many.
};

constexpr std::size_t cg_most_in_vectors(std::size_t n, std::size_t nonzeros) {
  return n * (nonzeros + 1);
}
constexpr std::size_t cg_most_values(std::size_t n, std::size_t nonzeros) {
  return n * (nonzeros + 1) * (nonzeros + 1);
}

/// Fills the matrix by rows, thread i of `threads` the i-th equal part of them. Each sum is made in
/// the same order whatever the number of threads.
void make_cg_matrix(const CgMatrix& matrix, const CgVectors& vectors, unsigned threads);

}  // namespace homenode::workloads::npb
