#include "cli/bench_map_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "placement/thread_map.h"

namespace homenode::cli {
namespace {

namespace map = workloads::map;
using machine::Machine;

NodeSet usable_memory(const Machine& machine) {
  return machine.nodes_with_memory() & machine.allowed_nodes;
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Fills in where the threads run. Leaves both vectors empty for --bind none.
Result<void> place_threads(const Machine& machine, MapPlan& plan) {
  if (plan.options.bind == "none") return {};
  placement::ThreadMap threads = placement::compact(machine, plan.threads);
  if (plan.options.bind != "compact") {
    auto listed = placement::parse_thread_map(machine, plan.options.bind);
    if (!listed) return listed.as_unexpected();
    threads = *std::move(listed);
  }
  if (threads.cpus_by_rank.empty()) {
    return not_supported("this process may use no CPU that the machine shows",
                         "look at its cpuset (Cpus_allowed_list in /proc/self/status)");
  }
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    const CpuSet& cpus = threads.of(rank);
    const CpuId cpu = cpus.to_vector().front();
    const std::optional<NodeId> node = machine.node_of(cpu);
    if (!node) {
      return not_supported(fmt::format("CPU {} belongs to no node", cpu.value()),
                           "bind the threads to other CPUs with --bind LIST");
    }
    plan.cpus_of_thread.push_back(cpus);
    plan.node_of_thread.push_back(*node);
  }
  return {};
}

/// Memory of the nodes whose CPUs are in use; of all nodes with allowed CPUs when nothing is bound.
std::vector<NodeId> memory_in_use(const Machine& machine, const MapPlan& plan) {
  NodeSet nodes;
  for (NodeId node : plan.node_of_thread) nodes.insert(memory_node(machine, node));
  if (plan.node_of_thread.empty()) {
    for (const machine::Node& node : machine.nodes) {
      if (!(node.cpus & machine.allowed_cpus).empty()) nodes.insert(memory_node(machine, node.id));
    }
  }
  return nodes.to_vector();
}

/// Each page on the node of the thread that owns the element in the page's middle; pages of a part
/// have one owner, and where two parts meet in a page the larger share decides. Padding goes with
/// the part before it.
placement::PageMap by_owner(const Machine& machine, const MapPlan& plan) {
  const std::size_t per_page = plan.page_bytes / map::line_bytes;
  const auto node_of = [&](unsigned rank) {
    return memory_node(machine, plan.node_of_thread[rank]);
  };
  placement::PageMap pages(plan.bytes.value / plan.page_bytes, node_of(plan.threads - 1));
  if (plan.layout.by_owner()) {
    for (unsigned rank = 0; rank + 1 < plan.threads; ++rank) {
      const auto begin =
          pages.begin() + static_cast<std::ptrdiff_t>(plan.layout.part_begins[rank] / per_page);
      const auto end =
          pages.begin() + static_cast<std::ptrdiff_t>(plan.layout.part_begins[rank + 1] / per_page);
      std::fill(begin, end, node_of(rank));
    }
    return pages;
  }
  const std::size_t elements = plan.layout.problem.elements;
  for (std::size_t page = 0; page * per_page < elements; ++page) {
    const std::size_t middle =
        page * per_page + (std::min(per_page, elements - page * per_page)) / 2;
    pages[page] = node_of(map::owner(plan.layout.problem, middle));
  }
  return pages;
}

/// Rewritten shared: the array in blocks over the nodes, and each thread starts at the block of its
/// own node, so that no two nodes' threads crowd on one node at the same time. Everybody still
/// uses everything, so the matrix stays flat: no layout can do more for this pattern.
void rewrite_shared(const Machine& machine, const std::vector<NodeId>& nodes, MapPlan& plan) {
  const std::size_t per_page = plan.page_bytes / map::line_bytes;
  const std::size_t elements = plan.layout.problem.elements;
  placement::PageMap pages = placement::block(plan.bytes.value / plan.page_bytes, nodes);
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    const NodeId home = memory_node(machine, plan.node_of_thread[rank]);
    const auto first = std::find(pages.begin(), pages.end(), home);
    const std::size_t page =
        first == pages.end() ? 0 : static_cast<std::size_t>(first - pages.begin());
    plan.walks[rank] = map::rotated({0, elements, 1}, std::min(page * per_page, elements));
  }
  plan.memory = std::move(pages);
}

void place_memory(const Machine& machine, MapPlan& plan) {
  const Method method = plan.options.method;
  if (method != Method::api && method != Method::rewrite) return;
  const map::Pattern pattern = plan.layout.problem.pattern;
  // Interleaved elements give every page many owners, until they are laid out anew.
  const bool pages_have_owners =
      pattern == map::Pattern::divided || pattern == map::Pattern::partial ||
      (pattern == map::Pattern::interleaved && method == Method::rewrite);
  const std::vector<NodeId> nodes = memory_in_use(machine, plan);
  if (pages_have_owners) {
    plan.memory = by_owner(machine, plan);
  } else if (method == Method::api) {
    placement::Policy interleave{placement::PolicyKind::interleave, {}, false};
    for (NodeId node : nodes) interleave.nodes.insert(node);
    plan.memory = std::move(interleave);
  } else {
    rewrite_shared(machine, nodes, plan);
  }
}

Result<void> check_fits(const Machine& machine, Bytes bytes, const MemoryFacts& facts) {
  Bytes memory;
  for (const machine::Node& node : machine.nodes) {
    if (machine.allowed_nodes.contains(node.id)) memory.value += node.memory.value;
  }
  if (facts.available) memory = std::min(memory, *facts.available);
  if (bytes <= memory) return {};
  return bad_usage(fmt::format("the array needs {} MiB and {} MiB of memory are free",
                               bytes.value >> 20U, memory.value >> 20U),
                   "give a smaller --size");
}

}  // namespace

NodeId memory_node(const Machine& machine, NodeId node) {
  const std::vector<NodeId> candidates = usable_memory(machine).to_vector();
  assert(!candidates.empty());
  const auto distance = [&](NodeId to) {
    if (to == node) return 0.0;
    const bool known = machine.distances && machine.distances->values.has(node, to);
    return known ? machine.distances->values.at(node, to) : 1.0;
  };
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](NodeId a, NodeId b) { return distance(a) < distance(b); });
}

Result<MapPlan> plan_map(const Machine& machine, const MapOptions& options,
                         const MemoryFacts& facts) {
  MapPlan plan;
  plan.options = options;
  if (!plan.options.threads) {
    plan.options.threads =
        static_cast<unsigned>(std::max<std::size_t>(1, machine.allowed_cpus.size()));
  }
  if (const auto checked = check(plan.options); !checked) return checked.as_unexpected();
  if (usable_memory(machine).empty()) {
    return not_supported("no node that this process may use has memory",
                         "look at its cpuset (Mems_allowed_list in /proc/self/status)");
  }
  if (const auto fits = check_fits(machine, options.size, facts); !fits) {
    return fits.as_unexpected();
  }
  plan.threads = *plan.options.threads;
  plan.page_bytes = facts.page_bytes;
  plan.alignment = options.pages == PageKind::huge ? facts.huge_page_bytes : facts.page_bytes;
  if (const auto placed = place_threads(machine, plan); !placed) return placed.as_unexpected();

  const map::Problem problem{options.pattern, options.size.value / map::line_bytes, plan.threads,
                             options.overlap_percent};
  const bool by_parts =
      options.method == Method::rewrite && options.pattern != map::Pattern::shared;
  plan.layout = by_parts ? map::owner_layout(problem, plan.alignment / map::line_bytes)
                         : map::natural_layout(problem);
  plan.bytes.value = round_up(plan.layout.positions * map::line_bytes, plan.alignment);
  // With its padding.
  if (const auto fits = check_fits(machine, plan.bytes, facts); !fits) return fits.as_unexpected();
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    plan.walks.push_back(map::spans_in_memory(plan.layout, rank));
  }
  place_memory(machine, plan);
  return plan;
}

}  // namespace homenode::cli
