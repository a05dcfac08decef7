// MAP-numa: what an access pattern is made of, and what people call it. A new one is a file in this
// folder and a line in pattern.cpp: the command, studies, reports and documents learn it from
// there.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "workloads/map/shape.h"

namespace homenode::workloads::map {

/// How the threads share the array.
enum class Use {
  all,          ///< Everybody uses everything.
  boxes,        ///< Each has a box of its own, or that and a part of its neighbours'.
  interleaved,  ///< Each has every T-th element.
};

/// The axes that are divided among the threads.
using Cut = std::array<bool, axes>;
inline constexpr Cut uncut{false, false, false};
inline constexpr Cut across_z{true, false, false};
inline constexpr Cut across_y{false, true, false};
inline constexpr Cut across_x{false, false, true};

/// In which order loops are nested, outermost first.
using AxisOrder = std::array<Axis, axes>;
inline constexpr AxisOrder as_it_lies{axis_z, axis_y, axis_x};
inline constexpr AxisOrder along_y{axis_z, axis_x, axis_y};
inline constexpr AxisOrder along_z{axis_y, axis_x, axis_z};

struct Pattern {
  std::string_view name;     ///< On the command line and in JSON.
  std::string_view title;    ///< For people.
  std::string_view meaning;  ///< Which elements each thread uses: a sentence.
  std::string_view suits;    ///< Which placement of the memory suits it: a sentence.
  unsigned dimensions = 1;
  Use use = Use::all;
  Cut cut = uncut;
  AxisOrder walk = as_it_lies;
  bool scattered = false;  ///< Walked at random whatever order is asked for.
  bool overlaps = false;   ///< Boxes may reach into their neighbours'.
  friend constexpr bool operator==(const Pattern&, const Pattern&) = default;
};

inline constexpr std::string_view suits_spread =
    "Its pages spread evenly over all nodes: every thread uses all of them.";
inline constexpr std::string_view suits_parts = "Each part on the node of its thread.";
inline constexpr std::string_view suits_wide_rows =
    "Each part on the node of its thread, where a row has a page for each node; else a layout in "
    "which each thread's elements lie together.";
inline constexpr std::string_view suits_layout =
    "A layout in which each thread's elements lie together: no page placement separates "
    "neighbouring elements.";

/// A pattern in which every thread walks the whole array.
constexpr Pattern everybody(std::string_view name, std::string_view title, std::string_view meaning,
                            unsigned dimensions, AxisOrder walk = as_it_lies,
                            bool scattered = false) {
  return {name, title, meaning, suits_spread, dimensions, Use::all, uncut, walk, scattered, false};
}

/// A pattern in which each thread has a box of its own, and may reach into its neighbours'.
constexpr Pattern boxes(std::string_view name, std::string_view title, std::string_view meaning,
                        std::string_view suits, unsigned dimensions, Cut cut) {
  return {name, title, meaning, suits, dimensions, Use::boxes, cut, as_it_lies, false, true};
}

/// All of them, in the order of the help.
std::span<const Pattern> all_patterns();

/// Nothing when there is none of that name.
std::optional<Pattern> find_pattern(std::string_view name);

}  // namespace homenode::workloads::map
