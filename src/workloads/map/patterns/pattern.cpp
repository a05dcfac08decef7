#include "workloads/map/patterns/pattern.h"

#include <algorithm>
#include <array>

#include "workloads/map/patterns/cube.h"
#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/matrix.h"

namespace homenode::workloads::map {
namespace {

// A line for each.
constexpr std::array table{
    patterns::shared,           patterns::divided,
    patterns::interleaved,      patterns::partial,
    patterns::shared_by_rows,   patterns::shared_by_columns,
    patterns::shared_at_random, patterns::row_bands,
    patterns::column_bands,     patterns::mesh,
    patterns::shared_along_x,   patterns::shared_along_y,
    patterns::shared_along_z,   patterns::slabs_z,
    patterns::slabs_y,          patterns::slabs_x,
    patterns::pencils_x,        patterns::pencils_y,
    patterns::pencils_z,        patterns::blocks,
};

}  // namespace

std::span<const Pattern> all_patterns() {
  return table;
}

std::optional<Pattern> find_pattern(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Pattern::name);
  return found == table.end() ? std::nullopt : std::optional(*found);
}

}  // namespace homenode::workloads::map
