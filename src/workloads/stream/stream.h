// The stream probe: McCalpin's four loops over three arrays, by teams of threads. What is right is
// known in closed form: all elements of an array are equal, and one of them can be followed alone.
#pragma once

#include <memory>
#include <optional>

#include "workloads/probe/kernels.h"
#include "workloads/program/description.h"
#include "workloads/program/program.h"
#include "workloads/stream/parts.h"

namespace homenode::workloads::stream {

struct StreamShape {
  std::size_t elements = 0;  ///< Of each array; a multiple of probe::block_elements.
  unsigned passes = 10;
  unsigned teams = 1;
  TeamShape shape = TeamShape::nested;
  /// copy, scale, add or triad; all four in turn when absent.
  std::optional<probe::Kernel> kernel;
};

/// One pass makes a fifteenfold of what it began with, so more would leave the range of numbers.
inline constexpr unsigned most_passes = 200;

/// One element of each array.
struct Values {
  double a = 1.0;
  double b = 2.0;
  double c = 0.0;
};
/// What the arrays hold after all passes. pre: passes <= most_passes.
Values expected_values(const StreamShape& shape);

/// Its rate is in 1e6 bytes a second, counted as STREAM does.
/// pre: run() with at least as many threads as teams.
std::unique_ptr<Program> make_stream(const StreamShape& shape);

/// What `bench stream` says of itself.
Description describe();

}  // namespace homenode::workloads::stream
