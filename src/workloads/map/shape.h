// MAP-numa: the extents of an array of one to three dimensions, stored row by row, and boxes in it.
#pragma once

#include <array>
#include <cstddef>

namespace homenode::workloads::map {

/// The axes of an array, slowest first: an element's neighbour along x lies next to it in memory.
enum Axis : unsigned { axis_z, axis_y, axis_x };
inline constexpr std::size_t axes = 3;

/// One number for each axis.
using PerAxis = std::array<std::size_t, axes>;

/// An array of x, of y times x, or of z times y times x elements.
struct Shape {
  PerAxis extents{1, 1, 0};  ///< The axes that it has not have the extent 1.
  unsigned dimensions = 1;

  Shape() = default;
  /// One dimension. Implicit, because a number of elements is such a shape.
  Shape(std::size_t elements) : extents{1, 1, elements} {}
  Shape(std::size_t rows, std::size_t columns) : extents{1, rows, columns}, dimensions(2) {}
  Shape(std::size_t z, std::size_t y, std::size_t x) : extents{z, y, x}, dimensions(3) {}

  /// pre: the product does not overflow.
  [[nodiscard]] std::size_t elements() const { return extents[0] * extents[1] * extents[2]; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// The elements [first, first + count) along each axis.
struct Box {
  PerAxis first{};
  PerAxis count{};
  friend bool operator==(const Box&, const Box&) = default;
};

/// How many elements of memory lie between neighbours along each axis.
inline PerAxis strides_of(const PerAxis& extents) {
  return {extents[axis_y] * extents[axis_x], extents[axis_x], 1};
}

/// Where an element of the array is along each axis. pre: element < shape.elements().
inline PerAxis coordinates(const Shape& shape, std::size_t element) {
  const std::size_t columns = shape.extents[axis_x];
  const std::size_t row = element / columns;
  return {row / shape.extents[axis_y], row % shape.extents[axis_y], element % columns};
}

/// Near a line, a square or a cube of at most `elements` elements: the extents along x (and y) are
/// the powers of two at or above the root, so that rows fill pages, and the slowest axis has what
/// is left. pre: elements > 0, 1 <= dimensions <= 3.
Shape even_shape(std::size_t elements, unsigned dimensions);

/// The inverse: which part holds a position. pre: position < extent.
std::size_t part_holding(std::size_t extent, std::size_t parts, std::size_t position);

}  // namespace homenode::workloads::map
