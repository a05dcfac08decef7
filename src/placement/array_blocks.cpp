#include "placement/array_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>

namespace homenode::placement {
namespace {

constexpr std::size_t most_dimensions = 4;

/// The array's size in bytes. Errors: it is no array, or larger than any memory.
Result<std::size_t> bytes_of(const ArrayShape& shape) {
  if (shape.extents.empty() || shape.extents.size() > most_dimensions) {
    return bad_usage(fmt::format("an array cannot have {} dimensions", shape.extents.size()),
                     "give one to four extents");
  }
  std::size_t bytes = shape.element_bytes;
  bool too_large = false;
  for (std::size_t extent : shape.extents) {
    too_large = too_large || __builtin_mul_overflow(bytes, extent, &bytes);
  }
  if (!too_large && bytes > 0) return bytes;
  return bad_usage(too_large ? "the array is larger than any memory"
                             : "the array has no elements, or elements of 0 bytes",
                   "give its extents and the size of its elements");
}

/// Which of its parts an index is in, and how many indices from it on are in the same.
struct Piece {
  std::size_t part;
  std::size_t indices;
};

Piece piece_at(const Cut& cut, std::size_t extent, std::size_t index) {
  if (cut.indices_in_turn > 0) {
    const std::size_t turn = index / cut.indices_in_turn;
    const std::size_t left = cut.indices_in_turn - index % cut.indices_in_turn;
    return {turn % cut.parts, std::min(left, extent - index)};
  }
  const std::size_t shortest = extent / cut.parts;
  const std::size_t longer_parts = extent % cut.parts;
  const std::size_t in_longer_parts = longer_parts * (shortest + 1);
  if (index < in_longer_parts) {
    return {index / (shortest + 1), shortest + 1 - index % (shortest + 1)};
  }
  const std::size_t rest = index - in_longer_parts;
  return {longer_parts + rest / shortest, shortest - rest % shortest};
}

/// Makes the map out of pieces that come in the order of memory.
class Pages {
 public:
  Pages(std::span<const NodeId> nodes, std::size_t bytes, std::size_t page_bytes)
      : nodes_(nodes), page_bytes_(page_bytes), bytes_of_cell_(nodes.size(), 0) {
    map_.reserve(bytes / page_bytes + 1);
  }

  /// The next `bytes` of the array are the cell's.
  void add(std::size_t cell, std::size_t bytes) {
    while (bytes > 0) {
      const std::size_t taken = std::min(bytes, page_bytes_ - filled_);
      if (bytes_of_cell_[cell] == 0) cells_.push_back(cell);
      bytes_of_cell_[cell] += taken;
      filled_ += taken;
      bytes -= taken;
      if (filled_ == page_bytes_) finish_page();
      while (filled_ == 0 && bytes >= page_bytes_) {  // Whole pages need no counting.
        map_.push_back(nodes_[cell]);
        bytes -= page_bytes_;
      }
    }
  }

  PageMap take() {
    if (filled_ > 0) finish_page();
    return std::move(map_);
  }

 private:
  void finish_page() {
    const auto most = std::max_element(  // The first of equals.
        cells_.begin(), cells_.end(),
        [this](std::size_t a, std::size_t b) { return bytes_of_cell_[a] < bytes_of_cell_[b]; });
    map_.push_back(nodes_[*most]);
    for (std::size_t cell : cells_) bytes_of_cell_[cell] = 0;
    cells_.clear();
    filled_ = 0;
  }

  std::span<const NodeId> nodes_;
  std::size_t page_bytes_;
  std::vector<std::size_t> bytes_of_cell_;  // In the current page.
  std::vector<std::size_t> cells_;          // Of the current page, in the order of memory.
  std::size_t filled_ = 0;                  // Bytes of the current page that are told of.
  PageMap map_;
};

/// One index, as memory sees it.
struct Dimension {
  std::size_t extent;
  Cut cut;
  std::size_t cell_stride;  ///< How far apart in cells two neighbouring parts are.
};

/// From the index that changes slowest in memory to the contiguous one.
std::vector<Dimension> in_memory_order(const ArrayShape& shape, std::span<const Cut> cuts) {
  std::vector<Dimension> dimensions;
  std::size_t stride = 1;
  for (std::size_t i = shape.extents.size(); i-- > 0;) {
    dimensions.push_back({shape.extents[i], cuts[i], stride});
    stride *= cuts[i].parts;
  }
  if (shape.order == ArrayOrder::c) std::reverse(dimensions.begin(), dimensions.end());
  return dimensions;
}

/// Tells `pages` of every piece below these dimensions, the innermost of which is cut or alone.
void walk(std::span<const Dimension> dimensions, std::size_t unit_bytes, std::size_t cell,
          Pages& pages) {
  const Dimension& here = dimensions.front();
  for (std::size_t index = 0; index < here.extent;) {
    const Piece piece = piece_at(here.cut, here.extent, index);
    const std::size_t part_cell = cell + piece.part * here.cell_stride;
    if (dimensions.size() == 1) {
      pages.add(part_cell, piece.indices * unit_bytes);
    } else {
      for (std::size_t i = 0; i < piece.indices; ++i) {
        walk(dimensions.subspan(1), unit_bytes, part_cell, pages);
      }
    }
    index += piece.indices;
  }
}

/// The parts for each of the first indices, with the smallest faces between them.
class BestCuts {
 public:
  BestCuts(const ArrayShape& shape, std::size_t cells)
      : shape_(shape), parts_(shape.extents.size(), 1) {
    // The contiguous index comes last, so that of equals the first found cuts it least.
    for (std::size_t i = 0; i < std::min<std::size_t>(3, shape.extents.size()); ++i) {
      order_.push_back(i);
    }
    if (shape.order == ArrayOrder::fortran) std::reverse(order_.begin(), order_.end());
    search(0, cells, 0);
  }

  [[nodiscard]] const std::vector<std::size_t>& parts() const { return best_; }

 private:
  /// `faces` is the area of the cuts so far over the array's volume.
  void search(std::size_t level, std::size_t cells, double faces) {
    const std::size_t index = order_[level];
    const auto extent = static_cast<double>(shape_.extents[index]);
    // Downwards: the indices that change slowest are cut most.
    for (std::size_t parts = cells; parts > 0; --parts) {
      if (cells % parts != 0) continue;
      if (level + 1 == order_.size() && parts != cells) continue;
      parts_[index] = parts;
      const double sum = faces + static_cast<double>(parts - 1) / extent +
                         (parts > shape_.extents[index] ? too_many_parts : 0);
      if (level + 1 < order_.size()) {
        search(level + 1, cells / parts, sum);
      } else if (best_.empty() || sum < smallest_ * (1 - tolerance)) {
        smallest_ = sum;
        best_ = parts_;
      }
    }
  }

  /// Parts that no index is left for waste nodes: only where there is no other way.
  static constexpr double too_many_parts = 1e6;
  static constexpr double tolerance = 1e-12;

  const ArrayShape& shape_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> parts_;
  std::vector<std::size_t> best_;
  double smallest_ = 0;
};

Result<PageMap> cut_one_index(const ArrayShape& shape, std::size_t index, Cut cut,
                              std::span<const NodeId> nodes, std::size_t page_bytes) {
  std::vector<Cut> cuts(shape.extents.size());
  cuts[index] = cut;
  return array_cells(shape, cuts, nodes, page_bytes);
}

}  // namespace

Result<PageMap> array_cells(const ArrayShape& shape, std::span<const Cut> cuts,
                            std::span<const NodeId> nodes, std::size_t page_bytes) {
  assert(page_bytes > 0);
  const auto bytes = bytes_of(shape);
  if (!bytes) return bytes.as_unexpected();
  if (cuts.size() != shape.extents.size()) {
    return bad_usage(fmt::format("{} cuts are given for an array of {} dimensions", cuts.size(),
                                 shape.extents.size()),
                     "give one cut per dimension");
  }
  std::size_t cells = 1;
  for (const Cut& cut : cuts) {
    if (__builtin_mul_overflow(cells, cut.parts, &cells)) cells = 0;
  }
  if (cells != nodes.size() || cells == 0) {
    return bad_usage(fmt::format("the cuts make {} cells for {} nodes", cells, nodes.size()),
                     "make one cell for each node, and at least one");
  }
  std::vector<Dimension> dimensions = in_memory_order(shape, cuts);
  std::size_t unit_bytes = shape.element_bytes;
  while (dimensions.size() > 1 && dimensions.back().cut.parts == 1) {
    unit_bytes *= dimensions.back().extent;
    dimensions.pop_back();
  }
  Pages pages(nodes, *bytes, page_bytes);
  walk(dimensions, unit_bytes, 0, pages);
  return pages.take();
}

Result<PageMap> array_rows(const ArrayShape& shape, std::span<const NodeId> nodes,
                           std::size_t page_bytes, std::size_t rows_in_turn) {
  if (const auto bytes = bytes_of(shape); !bytes) return bytes.as_unexpected();
  return cut_one_index(shape, 0, {nodes.size(), rows_in_turn}, nodes, page_bytes);
}

Result<PageMap> array_columns(const ArrayShape& shape, std::span<const NodeId> nodes,
                              std::size_t page_bytes, std::size_t columns_in_turn) {
  if (const auto bytes = bytes_of(shape); !bytes) return bytes.as_unexpected();
  if (shape.extents.size() < 2) {
    return bad_usage("an array of one dimension has no columns", "distribute its rows or blocks");
  }
  return cut_one_index(shape, 1, {nodes.size(), columns_in_turn}, nodes, page_bytes);
}

Result<PageMap> array_blocks(const ArrayShape& shape, std::span<const NodeId> nodes,
                             std::size_t page_bytes, std::size_t indices_in_turn) {
  if (const auto bytes = bytes_of(shape); !bytes) return bytes.as_unexpected();
  if (nodes.empty()) return array_cells(shape, {}, nodes, page_bytes);
  std::vector<Cut> cuts;
  const BestCuts best(shape, nodes.size());
  for (std::size_t parts : best.parts()) {
    cuts.push_back({parts, parts > 1 ? indices_in_turn : 0});
  }
  return array_cells(shape, cuts, nodes, page_bytes);
}

}  // namespace homenode::placement
