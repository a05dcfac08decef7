#include "model/layout.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <string>

#include "base/id_list.h"

namespace homenode::model {
namespace {

using placement::PageMap;
using placement::Placement;
using placement::Policy;
using placement::PolicyKind;

/// What placing the blocks of one object needs.
struct Site {
  const Rates& rates;
  const Object& object;
  const std::vector<NodeId>& node_of_thread;
  const std::vector<NodeId>& seen_at;  ///< Where the threads were when the homes were found.
};

Result<NodeId> node_of_cpus(const machine::Machine& machine, const CpuSet& cpus, NodeId seen) {
  std::optional<NodeId> first;
  for (const CpuId cpu : cpus.to_vector()) {
    const auto node = machine.node_of(cpu);
    if (!node) continue;
    if (*node == seen) return seen;
    if (!first) first = node;
  }
  if (first) return *first;
  return bad_usage("the CPUs " + to_list(cpus) + " belong to no node",
                   "choose CPUs that 'homenode topology' shows");
}

Result<std::vector<NodeId>> place_threads(const machine::Machine& machine, const Program& program,
                                          const Placement& placement) {
  std::vector<NodeId> nodes = program.node_of_thread;
  for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
    const CpuSet* cpus = placement.threads        ? &placement.threads->of(thread)
                         : placement.process_cpus ? &*placement.process_cpus
                                                  : nullptr;
    if (cpus == nullptr) continue;
    const auto node = node_of_cpus(machine, *cpus, nodes[thread]);
    if (!node) return node.as_unexpected();
    nodes[thread] = *node;
  }
  return nodes;
}

NodeShares all_on(const Rates& rates, NodeId node) {
  NodeShares shares(rates.memory_nodes.size(), 0);
  const auto at = std::find(rates.memory_nodes.begin(), rates.memory_nodes.end(), node);
  assert(at != rates.memory_nodes.end());
  shares[static_cast<std::size_t>(at - rates.memory_nodes.begin())] = 1;
  return shares;
}

/// On the node of the thread that touches a block first, or the nearest that is allowed. Who has
/// not moved touches it where it was found.
Result<std::vector<NodeShares>> first_touch(const Site& site, const NodeSet& allowed,
                                            std::optional<NodeId> next_to) {
  const Object& object = site.object;
  std::vector<NodeShares> blocks;
  for (std::size_t block = 0; block < object.blocks(); ++block) {
    std::optional<NodeId> from = next_to;
    if (!from && !object.first_users.empty()) {
      const std::size_t user = object.first_users[block];
      const bool stays = !object.homes.empty() && site.node_of_thread[user] == site.seen_at[user];
      from = stays ? object.homes[block] : site.node_of_thread[user];
    } else if (!from && !object.homes.empty()) {
      from = object.homes[block];
    }
    if (!from) {
      return bad_usage("it is not known who touches " + object.name + " first, nor where it lies",
                       "place it by a rule with nodes");
    }
    blocks.push_back(all_on(site.rates, site.rates.nearest_memory(*from, allowed)));
  }
  return blocks;
}

/// Each page by `node_of(page)`.
template <class NodeOf>
std::vector<NodeShares> page_by_page(const Site& site, const NodeOf& node_of) {
  const std::vector<NodeId>& nodes = site.rates.memory_nodes;
  std::vector<NodeShares> blocks;
  for (std::size_t block = 0; block < site.object.blocks(); ++block) {
    NodeShares shares(nodes.size(), 0);
    const std::size_t first = site.object.first_page(block);
    const std::size_t end = site.object.end_page(block);
    for (std::size_t page = first; page < end; ++page) {
      const auto at = std::find(nodes.begin(), nodes.end(), node_of(page));
      shares[static_cast<std::size_t>(at - nodes.begin())] += 1 / static_cast<double>(end - first);
    }
    blocks.push_back(std::move(shares));
  }
  return blocks;
}

/// The kernel takes nodes in turn over all pages that a thread brings in, of whatever it uses and
/// of page tables: where one of those is full, and between objects, the turn goes on anywhere. By
/// chance that an object's name and the page decide, so that a prediction can be repeated.
NodeId interleaved(const std::vector<NodeId>& nodes, const std::string& name, std::size_t page) {
  constexpr std::size_t pages_of_table = 512;
  const std::size_t chance = std::hash<std::string>{}(name + std::to_string(page / pages_of_table));
  return nodes[(page + chance) % nodes.size()];
}

Result<void> check_memory(const Rates& rates, const NodeSet& nodes) {
  for (const NodeId node : nodes.to_vector()) {
    if (std::find(rates.memory_nodes.begin(), rates.memory_nodes.end(), node) ==
        rates.memory_nodes.end()) {
      return bad_usage("node " + std::to_string(node.value()) + " has no memory",
                       "choose nodes whose memory 'homenode topology' shows");
    }
  }
  return {};
}

Result<std::vector<NodeShares>> by_policy(const Site& site, const Policy& policy) {
  if (const auto fine = check_memory(site.rates, policy.nodes); !fine) return fine.as_unexpected();
  switch (policy.kind) {
    case PolicyKind::default_policy:
    case PolicyKind::local:
      return first_touch(site, {}, std::nullopt);
    case PolicyKind::bind:
    case PolicyKind::preferred:
    case PolicyKind::preferred_many:
      return first_touch(site, policy.nodes, policy.home_node);
    case PolicyKind::interleave: {
      const std::vector<NodeId> nodes = policy.nodes.to_vector();
      return page_by_page(
          site, [&](std::size_t page) { return interleaved(nodes, site.object.name, page); });
    }
    case PolicyKind::weighted_interleave:
      break;
  }
  return not_supported("the kernel's weights of weighted interleaving are not a program's",
                       "use the distribution 'weighted', which has its own");
}

Result<std::vector<NodeShares>> by_map(const Site& site, const PageMap& map) {
  if (map.size() < site.object.pages) {
    return bad_usage("the map of " + site.object.name + " has " + std::to_string(map.size()) +
                         " pages, and it has " + std::to_string(site.object.pages),
                     "make the map for its size");
  }
  NodeSet nodes;
  for (const NodeId node : map) nodes.insert(node);
  if (const auto fine = check_memory(site.rates, nodes); !fine) return fine.as_unexpected();
  return page_by_page(site, [&](std::size_t page) { return map[page]; });
}

Result<std::vector<NodeShares>> place_object(const Site& site, const Placement& placement) {
  for (const placement::RegionPlacement& region : placement.regions) {
    if (region.region != site.object.name) continue;
    if (const auto* map = std::get_if<PageMap>(&region.memory)) return by_map(site, *map);
    return by_policy(site, std::get<Policy>(region.memory));
  }
  return by_policy(site, placement.process_memory.value_or(Policy{}));
}

}  // namespace

Result<Layout> lay_out(const machine::Machine& machine, const Rates& rates, const Program& program,
                       const Placement& placement) {
  assert(is_valid(program) && placement::is_valid(placement));
  auto threads = place_threads(machine, program, placement);
  if (!threads) return threads.as_unexpected();
  Layout layout{std::move(*threads), {}};
  for (const Object& object : program.objects) {
    auto homes =
        place_object({rates, object, layout.node_of_thread, program.node_of_thread}, placement);
    if (!homes) return homes.as_unexpected();
    layout.homes.push_back(std::move(*homes));
  }
  return layout;
}

}  // namespace homenode::model
