#include "placement/distribution_table.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace homenode::placement {
namespace {

PageMap page_by_page(std::size_t pages, std::span<const NodeId> nodes) {
  return cyclic(pages, nodes);
}

constexpr std::array table{
    Distribution{"block", "contiguous parts of equal size, one for each node", block},
    Distribution{"cyclic", "page by page over the nodes, in turn", page_by_page},
};

}  // namespace

std::span<const Distribution> distributions() {
  return table;
}

Result<Distribution> find_distribution(std::string_view name) {
  std::string names;
  for (const Distribution& distribution : table) {
    if (distribution.name == name) return distribution;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", distribution.name);
  }
  return bad_usage(fmt::format("there is no distribution '{}'", name), "choose one of: " + names);
}

}  // namespace homenode::placement
