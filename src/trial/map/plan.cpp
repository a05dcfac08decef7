#include "trial/map/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "placement/strategies/nodes.h"
#include "placement/threads/map.h"
#include "trial/map/patterns.h"

namespace homenode::trial {
namespace {

namespace map = workloads::map;
using machine::Machine;

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
    return not_supported("this process may use no CPU of the machine",
                         "check its affinity and cpuset (Cpus_allowed_list in /proc/self/status)");
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
  if (!plan.node_of_thread.empty()) return memory_of(machine, plan.node_of_thread);
  std::vector<NodeId> nodes;
  for (const machine::Node& node : machine.nodes) {
    if (!(node.cpus & machine.allowed_cpus).empty()) nodes.push_back(node.id);
  }
  return memory_of(machine, nodes);
}

/// Part after part, each a run of whole pages; the last one's padding goes with it.
placement::PageMap parts_at_home(const std::vector<NodeId>& homes, const map::Layout& layout,
                                 std::size_t per_page, std::size_t page_count) {
  placement::PageMap pages(page_count, homes.back());
  for (std::size_t rank = 0; rank + 1 < homes.size(); ++rank) {
    const auto begin =
        pages.begin() + static_cast<std::ptrdiff_t>(layout.part_begins[rank] / per_page);
    const auto end =
        pages.begin() + static_cast<std::ptrdiff_t>(layout.part_begins[rank + 1] / per_page);
    std::fill(begin, end, homes[rank]);
  }
  return pages;
}

/// The places in `count` of the largest value, in turn where several hold it: page after page goes
/// to another of those nodes, because none has more right to it than the others.
std::size_t largest_in_turn(const std::vector<std::size_t>& count, std::size_t turn) {
  const std::size_t most = *std::max_element(count.begin(), count.end());
  const auto holders = static_cast<std::size_t>(std::count(count.begin(), count.end(), most));
  std::size_t skip = turn % holders;
  std::size_t at = 0;
  while (count[at] != most || skip-- > 0) ++at;
  return at;
}

/// Each page on the node whose threads own most of its elements. Padding goes with the last one.
placement::PageMap pages_by_majority(const std::vector<NodeId>& homes, const map::Problem& problem,
                                     std::size_t per_page, std::size_t page_count) {
  NodeSet known;
  for (NodeId home : homes) known.insert(home);
  const std::vector<NodeId> nodes = known.to_vector();
  std::vector<std::size_t> place_of_rank;
  for (NodeId home : homes) {
    const auto found = std::find(nodes.begin(), nodes.end(), home);
    place_of_rank.push_back(static_cast<std::size_t>(found - nodes.begin()));
  }
  placement::PageMap pages(page_count, homes.back());
  const std::size_t elements = problem.elements();
  std::vector<std::size_t> count(nodes.size());
  for (std::size_t page = 0; page * per_page < elements; ++page) {
    std::fill(count.begin(), count.end(), 0);
    const std::size_t end = std::min((page + 1) * per_page, elements);
    for (std::size_t element = page * per_page; element < end;) {
      const std::size_t run = std::min(map::owned_run(problem, element), end - element);
      count[place_of_rank[map::owner(problem, element)]] += run;
      element += run;
    }
    pages[page] = nodes[largest_in_turn(count, page)];
  }
  return pages;
}

/// Rewritten arrays that everybody uses: in blocks over the nodes, and each thread starts at the
/// block of its own node, so that no two nodes' threads crowd on one node at the same time.
/// Everybody still uses everything, so the matrix stays flat: no layout can do more here.
void start_at_home(const Machine& machine, const MapPlan& plan, const std::vector<NodeId>& nodes,
                   PhasePlan& phase) {
  const std::size_t per_page = plan.page_bytes / map::line_bytes;
  const std::size_t elements = phase.layout.positions;
  placement::PageMap pages = placement::block(phase.bytes.value / plan.page_bytes, nodes);
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    const NodeId home = placement::nearest_memory(machine, plan.node_of_thread[rank]);
    const auto first = std::find(pages.begin(), pages.end(), home);
    const std::size_t page =
        first == pages.end() ? 0 : static_cast<std::size_t>(first - pages.begin());
    phase.walks[rank] = map::rotated({0, elements, 1}, std::min(page * per_page, elements));
  }
  phase.memory = std::move(pages);
}

void place_memory(const Machine& machine, const MapPlan& plan, PhasePlan& phase) {
  const Method method = plan.options.method;
  if (method != Method::api && method != Method::rewrite) return;
  const std::vector<NodeId> nodes = memory_in_use(machine, plan);
  const map::Use use = phase.layout.problem.pattern.use;
  // Interleaved elements give every page many owners, until they are laid out anew.
  if (method == Method::api && use != map::Use::boxes) {
    placement::Policy interleave{placement::PolicyKind::interleave, {}, false};
    for (NodeId node : nodes) interleave.nodes.insert(node);
    phase.memory = std::move(interleave);
    return;
  }
  if (use == map::Use::all) return start_at_home(machine, plan, nodes, phase);
  std::vector<NodeId> homes;
  for (NodeId node : plan.node_of_thread) homes.push_back(placement::nearest_memory(machine, node));
  const std::size_t per_page = plan.page_bytes / map::line_bytes;
  const std::size_t pages = phase.bytes.value / plan.page_bytes;
  phase.memory = phase.layout.by_owner()
                     ? parts_at_home(homes, phase.layout, per_page, pages)
                     : pages_by_majority(homes, phase.layout.problem, per_page, pages);
}

map::Layout layout_for(const MapPlan& plan, const map::Problem& problem) {
  if (plan.options.method != Method::rewrite) return map::natural_layout(problem);
  if (problem.pattern.use == map::Use::all) return map::walk_layout(problem);
  return map::owner_layout(problem, plan.alignment / map::line_bytes);
}

PhasePlan plan_phase(const MapPlan& plan, const map::Pattern& pattern) {
  PhasePlan phase;
  const map::Problem problem(pattern, shape_of(plan.options), plan.threads,
                             overlap_of(plan.options));
  phase.layout = layout_for(plan, problem);
  phase.order = pattern.scattered ? map::Order::random : plan.options.order;
  phase.bytes.value = round_up(phase.layout.positions * map::line_bytes, plan.alignment);
  return phase;
}

/// The most memory that is there at one time: where each phase has a layout of its own, that of two
/// in a row, because one is copied from the other.
Bytes largest_at_once(const MapPlan& plan) {
  Bytes largest = plan.phases.front().bytes;
  if (plan.options.method != Method::rewrite) return largest;
  for (std::size_t i = 1; i < plan.phases.size(); ++i) {
    const std::uint64_t both = plan.phases[i - 1].bytes.value + plan.phases[i].bytes.value;
    largest.value = std::max(largest.value, both);
  }
  return largest;
}

Result<void> check_fits(const Machine& machine, Bytes bytes, const MemoryFacts& facts) {
  const Bytes memory = free_memory(machine, facts);
  if (bytes <= memory) return {};
  return bad_usage(fmt::format("the array needs {} MiB and {} MiB of memory are free",
                               bytes.value >> 20U, memory.value >> 20U),
                   "give a smaller --size or --shape");
}

}  // namespace

std::vector<NodeId> memory_of(const Machine& machine, const std::vector<NodeId>& node_of_thread) {
  NodeSet nodes;
  for (NodeId node : node_of_thread) nodes.insert(placement::nearest_memory(machine, node));
  return nodes.to_vector();
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
  if (placement::usable_memory(machine).empty()) {
    return not_supported("no node that this process may use has memory",
                         "check its cpuset (Mems_allowed_list in /proc/self/status)");
  }
  const Bytes array{shape_of(plan.options).elements() * map::line_bytes};
  if (const auto fits = check_fits(machine, array, facts); !fits) return fits.as_unexpected();
  plan.threads = *plan.options.threads;
  plan.page_bytes = facts.page_bytes;
  plan.alignment = options.pages == PageKind::huge ? facts.huge_page_bytes : facts.page_bytes;
  if (const auto placed = place_threads(machine, plan); !placed) return placed.as_unexpected();

  for (const map::Pattern& pattern : phases_of(plan.options)) {
    plan.phases.push_back(plan_phase(plan, pattern));
  }
  // With its padding.
  if (const auto fits = check_fits(machine, largest_at_once(plan), facts); !fits) {
    return fits.as_unexpected();
  }
  for (PhasePlan& phase : plan.phases) {
    for (unsigned rank = 0; rank < plan.threads; ++rank) {
      phase.walks.push_back(map::spans_in_memory(phase.layout, rank));
    }
    place_memory(machine, plan, phase);
  }
  return plan;
}

}  // namespace homenode::trial
