#include <fmt/format.h>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

Result<PageMap> explicit_map(std::size_t pages, std::span<const Run> runs) {
  // Counted first, and by what is left, so that no sum can wrap and no huge map is ever built.
  std::size_t left = pages;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].pages > left) {
      return bad_usage(
          fmt::format("the runs of the map exceed the region's {} pages at run {}", pages, i),
          "make the runs add up to the number of pages");
    }
    left -= runs[i].pages;
  }
  if (left > 0) {
    return bad_usage(fmt::format("the runs of the map leave {} of the region's {} pages without a "
                                 "node",
                                 left, pages),
                     "make the runs add up to the number of pages");
  }
  PageMap map;
  map.reserve(pages);
  for (const Run& run : runs) map.insert(map.end(), run.pages, run.node);
  return map;
}

}  // namespace homenode::placement
