#include "actuation/plan.h"

#include <cassert>
#include <map>
#include <utility>

namespace homenode::actuation {
namespace {

/// Page p of the address space is on the node p mod n of the n that there are, in their order.
bool is_interleaved(const placement::PageMap& map, const std::vector<NodeRuns>& nodes,
                    std::uintptr_t first_page) {
  if (nodes.size() < 2) return false;
  std::size_t turn = first_page % nodes.size();
  for (const NodeId node : map) {
    if (node != nodes[turn].node) return false;
    if (++turn == nodes.size()) turn = 0;
  }
  return true;
}

}  // namespace

Plan make_plan(const placement::PageMap& map, PageGeometry geometry) {
  assert(geometry.pages_per_huge_page > 0);
  Plan plan;
  std::map<NodeId, std::vector<PageRun>> runs_of_node;
  for (std::size_t first = 0; first < map.size();) {
    std::size_t end = first + 1;
    while (end < map.size() && map[end] == map[first]) ++end;
    runs_of_node[map[first]].push_back({first, end - first});
    if (end < map.size() && (geometry.first_page + end) % geometry.pages_per_huge_page != 0) {
      plan.divides_huge_pages = true;
    }
    first = end;
  }
  for (auto& [node, runs] : runs_of_node) plan.nodes.push_back({node, std::move(runs)});
  plan.interleaved = is_interleaved(map, plan.nodes, geometry.first_page);
  return plan;
}

}  // namespace homenode::actuation
