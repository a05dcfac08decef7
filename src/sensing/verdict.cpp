#include "sensing/verdict.h"

#include <algorithm>
#include <optional>

namespace homenode::sensing {
namespace {

constexpr std::uint64_t pages_worth_an_even_share = 64;
constexpr std::uint64_t uneven_one_in = 10;
/// A node with less than this share of its memory free takes pages only under pressure.
constexpr std::uint64_t full_one_in = 50;

bool names_nodes(const StatedPolicy& policy) {
  constexpr std::string_view modes[] = {"bind", "preferred", "preferred-many", "interleave",
                                        "weighted-interleave"};
  return !policy.nodes.empty() && !policy.nodes_cut &&
         std::find(std::begin(modes), std::end(modes), policy.mode) != std::end(modes);
}

PagesOnNodes outside(const Mapping& mapping) {
  PagesOnNodes off;
  for (const auto& pages : mapping.pages) {
    if (!mapping.policy.nodes.contains(pages.first)) off.push_back(pages);
  }
  return off;
}

/// What interleaved nodes have above an even share; nothing when that is little.
PagesOnNodes above_share(const Mapping& mapping) {
  const std::uint64_t nodes = mapping.policy.nodes.size();
  const std::uint64_t total = mapping.page_count();
  if (mapping.policy.mode != "interleave" || total < nodes * pages_worth_an_even_share) return {};
  const std::uint64_t share = (total + nodes - 1) / nodes;
  PagesOnNodes off;
  std::uint64_t sum = 0;
  for (const auto& [node, pages] : mapping.pages) {
    if (pages <= share) continue;
    off.emplace_back(node, pages - share);
    sum += pages - share;
  }
  return sum > total / uneven_one_in ? off : PagesOnNodes();
}

bool is_full(const NodeFacts& node) {
  return node.total.value > 0 && node.free.value < node.total.value / full_one_in;
}

Cause cause_of(const Survey& survey, const Mapping& mapping) {
  if (mapping.group == Group::file) return Cause::page_cache;
  if (mapping.most_sharers > 1) return Cause::shared;
  if (mapping.group == Group::huge) return Cause::pool;
  for (NodeId id : mapping.policy.nodes.to_vector()) {
    const NodeFacts* const node = survey.find(id);
    if (node != nullptr && is_full(*node)) return Cause::full_node;
  }
  return Cause::before_policy;
}

}  // namespace

std::uint64_t Finding::pages() const {
  std::uint64_t sum = 0;
  for (const auto& [node, pages] : off) sum += pages;
  return sum;
}

std::string to_string(Cause cause) {
  switch (cause) {
    case Cause::page_cache:
      return "page-cache";
    case Cause::shared:
      return "shared";
    case Cause::pool:
      return "huge-page-pool";
    case Cause::full_node:
      return "full-node";
    case Cause::before_policy:
      break;
  }
  return "before-policy";
}

std::string explain(Cause cause) {
  switch (cause) {
    case Cause::page_cache:
      return "a file's pages stay on the node of the process that first read them";
    case Cause::shared:
      return "other processes share the pages, and the first to touch a page places it";
    case Cause::pool:
      return "each node has its own pool of huge pages, and the policy's pools may have been "
             "empty";
    case Cause::full_node:
      return "a node of the policy has almost no free memory";
    case Cause::before_policy:
      break;
  }
  return "the pages were present before the policy was set, or have been moved since";
}

std::vector<Finding> off_policy(const Survey& survey) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < survey.mappings.size(); ++i) {
    const Mapping& mapping = survey.mappings[i];
    if (!names_nodes(mapping.policy)) continue;
    PagesOnNodes off = outside(mapping);
    if (off.empty()) off = above_share(mapping);
    if (off.empty()) continue;
    findings.push_back({i, std::move(off), cause_of(survey, mapping)});
  }
  return findings;
}

}  // namespace homenode::sensing
