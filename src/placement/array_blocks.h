// Page maps for arrays of one to four dimensions that are cut along their indices: by rows, by
// columns, or in blocks, contiguous or in turn. Pure; serves the C interface and what builds on it.
//
// Indices are those of the language, the first one first: rows cut the first index and columns the
// second, whichever of them is contiguous in memory. The array begins at the start of a page.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "placement/distributions/distribution.h"

namespace homenode::placement {

enum class ArrayOrder {
  c,        ///< The last index is contiguous.
  fortran,  ///< The first index is contiguous.
};

struct ArrayShape {
  std::vector<std::size_t> extents;  ///< One to four, none 0.
  std::size_t element_bytes = 0;
  ArrayOrder order = ArrayOrder::c;
};

/// How one index is cut.
struct Cut {
  std::size_t parts = 1;
  /// 0: contiguous parts whose sizes differ by at most 1. Else the parts in turn, so many indices
  /// at a time.
  std::size_t indices_in_turn = 0;
};

/// The array cut along each of its indices, as `cuts` says, one for each. The cells are numbered
/// with the last index fastest, and cell i is for nodes[i]. A page that several cells share goes to
/// the node that has most of its bytes, of equals to the one whose bytes come first.
/// Takes time by the number of contiguous pieces, and memory by that of pages.
/// pre: page_bytes > 0. Errors: bad_usage for a shape that is none, or too large; for cuts that are
/// not one for each index or whose cells are not as many as the nodes.
Result<PageMap> array_cells(const ArrayShape& shape, std::span<const Cut> cuts,
                            std::span<const NodeId> nodes, std::size_t page_bytes);

/// The first index cut, one part for each node; in turn where `rows_in_turn` is not 0.
Result<PageMap> array_rows(const ArrayShape& shape, std::span<const NodeId> nodes,
                           std::size_t page_bytes, std::size_t rows_in_turn = 0);

/// The second index cut. Errors: also bad_usage for one dimension, which has no columns.
Result<PageMap> array_columns(const ArrayShape& shape, std::span<const NodeId> nodes,
                              std::size_t page_bytes, std::size_t columns_in_turn = 0);

/// Blocks along the first three indices, or those that there are: as many as nodes, and of the ways
/// to cut them so, the one with the smallest faces; of equals, that which cuts the contiguous index
/// least. `indices_in_turn` as in Cut, the same for each index that is cut.
Result<PageMap> array_blocks(const ArrayShape& shape, std::span<const NodeId> nodes,
                             std::size_t page_bytes, std::size_t indices_in_turn = 0);

}  // namespace homenode::placement
