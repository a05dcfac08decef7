// Spatter's index patterns: which words, from a base that goes forward by `delta` with each
// repetition, are gathered from a large array or scattered to it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace homenode::workloads::gather {

enum class Direction { gather, scatter };

struct IndexPattern {
  std::string name;
  Direction direction = Direction::gather;
  std::vector<std::uint64_t> indices;
  std::uint64_t delta = 8;
  std::uint64_t count = 1024;  ///< Repetitions.

  /// Words of the large array that it reaches; nothing where that is more than 2^60.
  [[nodiscard]] std::optional<std::uint64_t> reach() const;
};

/// Nothing longer is taken: an index buffer is small.
inline constexpr std::size_t most_indices = std::size_t{1} << 20U;

/// Spatter's short forms, and plain lists:
///   UNIFORM:8:2      0,2,4,6,8,10,12,14
///   MS1:8:4:20       0,1,2,3,23,24,25,26: by one, but by 20 to the index 4; several places and
///                    gaps as MS1:8:2/5:20/30, or one gap for all
///   1,5,3            as it stands
/// Nothing when it is none of these, empty, or too long.
std::optional<std::vector<std::uint64_t>> parse_indices(std::string_view text);

}  // namespace homenode::workloads::gather
