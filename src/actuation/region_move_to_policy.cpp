// move_to_policy: a policy of the kernel for a region that has pages already.
#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <cassert>
#include <charconv>
#include <cstdint>
#include <numeric>

#include "actuation/audit.h"
#include "actuation/mappings.h"
#include "actuation/move.h"
#include "actuation/phase_timer.h"
#include "actuation/process.h"
#include "actuation/refusal.h"
#include "actuation/region.h"
#include "machine/kernel_files.h"

namespace homenode::actuation {
namespace {

using placement::Policy;
using placement::PolicyKind;

/// How many pages in turn the kernel gives a node, from sysfs; 1 where that does not say.
std::size_t kernel_weight(os::Os& os, NodeId node) {
  std::string text;
  const auto path =
      fmt::format("/sys/kernel/mm/mempolicy/weighted_interleave/node{}", node.value());
  std::size_t weight = 0;
  if (os.read_file(path, text) < 0) return 1;
  std::from_chars(text.data(), text.data() + text.size(), weight);
  return weight > 0 ? weight : 1;
}

/// The nodes in turn, each as often as the policy gives it pages.
std::vector<NodeId> turns_of(os::Os& os, const Policy& policy) {
  // The kernel leaves out what the cpuset does not allow.
  const NodeSet allowed = machine::allowed_nodes(os);
  const NodeSet nodes = (policy.nodes & allowed).empty() ? policy.nodes : policy.nodes & allowed;
  std::vector<NodeId> turns;
  for (NodeId node : nodes.to_vector()) {
    const bool equal = policy.kind == PolicyKind::interleave;
    turns.insert(turns.end(), equal ? 1 : kernel_weight(os, node), node);
  }
  return turns;
}

/// Where the kernel puts each page of a private mapping: by its address, whoever touches it, in
/// units of a page or, where it uses them, of a huge page (get_vma_policy in mm/mempolicy.c).
placement::PageMap interleaved_map(os::Os& os, Region region, const Policy& policy) {
  const std::vector<NodeId> turns = turns_of(os, policy);
  const auto huge = huge_bytes(os, region);
  const std::size_t unit = huge && huge->value > 0 ? huge_page_bytes : os.page_bytes();
  placement::PageMap map;
  map.reserve(page_count(os, region));
  const auto first = reinterpret_cast<std::uintptr_t>(region.address);
  for (std::size_t page = 0; page < page_count(os, region); ++page) {
    map.push_back(turns[(first + page * os.page_bytes()) / unit % turns.size()]);
  }
  return map;
}

/// Where the policy wants each page that is present on a wrong node to be; a page that is right
/// stays where it is. Nothing when the kernel is the one who knows.
std::optional<placement::PageMap> own_map(os::Os& os, Region region, const Policy& policy,
                                          const Audit& where) {
  if (policy.kind == PolicyKind::interleave || policy.kind == PolicyKind::weighted_interleave) {
    return interleaved_map(os, region, policy);
  }
  // The moves of mbind are made before the policy has a home.
  if (!policy.home_node || !policy.nodes.contains(*policy.home_node)) return std::nullopt;
  placement::PageMap map(where.node_of_page.size(), *policy.home_node);
  for (std::size_t page = 0; page < map.size(); ++page) {
    const auto node = where.node_of_page[page];
    if (node && policy.nodes.contains(*node)) map[page] = *node;
  }
  return map;
}

bool is_as_planned(const Policy& policy, const std::optional<placement::PageMap>& map,
                   std::size_t page, NodeId node) {
  if (map) return (*map)[page] == node;
  return policy.nodes.empty() || policy.nodes.contains(node);
}

void count(const Policy& policy, const std::optional<placement::PageMap>& map, const Audit& before,
           const Audit& after, Receipt& receipt) {
  for (std::size_t page = 0; page < after.node_of_page.size(); ++page) {
    const auto node = after.node_of_page[page];
    if (!node) continue;
    ++receipt.pages;
    const auto was = before.node_of_page[page];
    if (was && *was != *node) ++receipt.moved;
    if (is_as_planned(policy, map, page, *node)) ++receipt.as_planned;
  }
  receipt.refused = receipt.pages - receipt.as_planned;
  if (receipt.refused == 0) receipt.refusals.clear();
}

/// mbind tells of nothing that it could not move.
Error left_behind(const Policy& policy, std::size_t pages) {
  return {ErrorCode::failed, 0,
          fmt::format("cannot move {} pages to where the memory policy {} puts them", pages,
                      describe(policy)),
          "the nodes are full, or other processes share the pages: free memory there, or place the "
          "region page by page, which says why for each node"};
}

}  // namespace

Result<Receipt> move_to_policy(os::Os& os, Region region, const Policy& policy, os::Clock* clock) {
  Receipt receipt;
  PhaseTimer timer(clock);
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  const auto before = audit(os, region);
  if (!before) return before.as_unexpected();
  receipt.times.audit = timer.lap();

  const auto map = own_map(os, region, policy, *before);
  const bool kernel_moves = !map && policy.kind != PolicyKind::default_policy;
  const auto bound = bind_region(os, region, policy, kernel_moves ? MPOL_MF_MOVE : 0);
  if (!bound) return bound.as_unexpected();
  Audit after = *before;
  if (map) {
    auto not_moved = move_misplaced(os, region, *map, after);
    if (!not_moved) return not_moved.as_unexpected();
    receipt.refusals = *std::move(not_moved);
  }
  receipt.times.move = timer.lap();
  if (kernel_moves) {
    auto again = audit(os, region);
    if (!again) return again.as_unexpected();
    after = *std::move(again);
    receipt.times.audit.value += timer.lap().value;
  }
  count(policy, map, *before, after, receipt);
  receipt.bytes_moved = receipt.moved * os.page_bytes();
  if (receipt.refused > 0 && receipt.refusals.empty()) {
    receipt.refusals.push_back(left_behind(policy, receipt.refused));
  }
  return receipt;
}

}  // namespace homenode::actuation
