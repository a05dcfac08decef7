// The table of patterns: which axes each cuts, and in which order it walks.
#include <cassert>

#include "workloads/map/pattern.h"

namespace homenode::workloads::map {
namespace {

using AxisOrder = std::array<Axis, axes>;

constexpr AxisOrder as_it_lies{axis_z, axis_y, axis_x};
constexpr AxisOrder along_y{axis_z, axis_x, axis_y};
constexpr AxisOrder along_z{axis_y, axis_x, axis_z};
using Cut = std::array<bool, axes>;
constexpr Cut uncut{false, false, false};
constexpr Cut across_z{true, false, false};
constexpr Cut across_y{false, true, false};
constexpr Cut across_x{false, false, true};

constexpr Rule everybody(Pattern pattern, unsigned dimensions, AxisOrder walk,
                         bool scattered = false) {
  return {pattern, dimensions, Use::all, uncut, walk, scattered, false};
}
constexpr Rule boxes(Pattern pattern, unsigned dimensions, Cut cut, bool overlaps = true) {
  return {pattern, dimensions, Use::boxes, cut, as_it_lies, false, overlaps};
}

/// In the order of Pattern.
constexpr std::array<Rule, 20> rules{{
    everybody(Pattern::shared, 1, as_it_lies),
    boxes(Pattern::divided, 1, across_x, false),
    {Pattern::interleaved, 1, Use::interleaved, uncut, as_it_lies, false, false},
    boxes(Pattern::partial, 1, across_x),
    everybody(Pattern::shared_by_rows, 2, as_it_lies),
    everybody(Pattern::shared_by_columns, 2, along_y),
    everybody(Pattern::shared_at_random, 2, as_it_lies, true),
    boxes(Pattern::row_bands, 2, across_y),
    boxes(Pattern::column_bands, 2, across_x),
    boxes(Pattern::mesh, 2, {false, true, true}),
    everybody(Pattern::shared_along_x, 3, as_it_lies),
    everybody(Pattern::shared_along_y, 3, along_y),
    everybody(Pattern::shared_along_z, 3, along_z),
    boxes(Pattern::slabs_z, 3, across_z),
    boxes(Pattern::slabs_y, 3, across_y),
    boxes(Pattern::slabs_x, 3, across_x),
    boxes(Pattern::pencils_x, 3, {true, true, false}),
    boxes(Pattern::pencils_y, 3, {true, false, true}),
    boxes(Pattern::pencils_z, 3, {false, true, true}),
    boxes(Pattern::blocks, 3, {true, true, true}),
}};

}  // namespace

const Rule& rule_of(Pattern pattern) {
  const Rule& rule = rules[static_cast<std::size_t>(pattern)];
  assert(rule.pattern == pattern);
  return rule;
}

}  // namespace homenode::workloads::map
