#include "actuation/region.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "actuation/audit.h"
#include "actuation/mappings.h"
#include "actuation/move.h"
#include "actuation/phase_timer.h"
#include "actuation/plan.h"
#include "actuation/process.h"
#include "actuation/refusal.h"

namespace homenode::actuation {
namespace {

/// The calling thread's policy, to be put back on every path.
class SavedPolicy {
 public:
  explicit SavedPolicy(os::Os& os) : os_(os) {}
  SavedPolicy(const SavedPolicy&) = delete;
  SavedPolicy& operator=(const SavedPolicy&) = delete;
  ~SavedPolicy() { (void)restore(); }

  int save() {
    const int result = os_.get_mempolicy(mode_, nodes_);
    saved_ = result == 0;
    return result;
  }

  /// Tried twice: nothing that is left undone here can be made good by the caller.
  int restore() {
    if (!std::exchange(saved_, false)) return 0;
    const int result = os_.set_mempolicy(mode_, nodes_);
    return result == 0 ? 0 : os_.set_mempolicy(mode_, nodes_);
  }

 private:
  os::Os& os_;
  int mode_ = MPOL_DEFAULT;
  NodeSet nodes_;
  bool saved_ = false;
};

char* page_address(os::Os& os, Region region, std::size_t page) {
  return static_cast<char*>(region.address) + page * os.page_bytes();
}

/// Faults in what is absent of one node's pages.
Result<void> populate_node(os::Os& os, Region region, const NodeRuns& node) {
  const int set = os.set_mempolicy(MPOL_PREFERRED, NodeSet{node.node});
  if (set < 0) {
    return refusal(os,
                   {.call = Call::set_mempolicy,
                    .tried = fmt::format("cannot place pages on node {}", node.node.value()),
                    .nodes = NodeSet{node.node}},
                   set);
  }
  constexpr std::size_t most_at_once = 4096;  // So that a large map needs no second one.
  std::vector<os::MemoryRange> ranges;
  for (std::size_t start = 0; start < node.runs.size(); start += most_at_once) {
    ranges.clear();
    for (std::size_t i = start; i < std::min(start + most_at_once, node.runs.size()); ++i) {
      const PageRun& run = node.runs[i];
      ranges.push_back({page_address(os, region, run.first), run.pages * os.page_bytes()});
    }
    if (const int result = os.populate_ranges(ranges); result < 0) {
      return refusal(
          os,
          {.call = Call::madvise,
           .tried = fmt::format("cannot fault in the pages for node {}", node.node.value())},
          result);
    }
  }
  return {};
}

/// One populate for a map that is the kernel's own interleaving. False where that is refused, or
/// begins elsewhere, as that of shared memory does: the first pages tell. Each node then has its
/// own.
bool populate_interleaved(os::Os& os, Region region, const placement::PageMap& map,
                          const Plan& plan) {
  NodeSet nodes;
  for (const NodeRuns& node : plan.nodes) nodes.insert(node.node);
  if (os.set_mempolicy(MPOL_INTERLEAVE, nodes) < 0) return false;
  int mode = 0;
  NodeSet allowed;  // The kernel goes round without those that are not, and puts pages elsewhere.
  if (os.get_mempolicy(mode, allowed) < 0 || allowed != nodes) return false;
  const Region first{region.address, plan.nodes.size() * os.page_bytes()};
  if (os.populate_memory(first.address, first.bytes) < 0) return false;
  const auto where = audit(os, first);
  if (!where || !std::equal(where->node_of_page.begin(), where->node_of_page.end(), map.begin())) {
    return false;
  }
  return os.populate_memory(region.address, map.size() * os.page_bytes()) >= 0;
}

/// Every node's absent pages. Errors: none of the nodes could be served, or the policy not
/// restored.
Result<std::vector<Error>> populate(os::Os& os, Region region, const placement::PageMap& map,
                                    const Plan& plan) {
  SavedPolicy saved(os);
  if (const int result = saved.save(); result < 0) {
    return refusal(os,
                   {.call = Call::get_mempolicy,
                    .tried = "cannot read the thread's memory policy, to restore it later"},
                   result);
  }
  std::vector<Error> refusals;
  if (!plan.interleaved || !populate_interleaved(os, region, map, plan)) {
    for (const NodeRuns& node : plan.nodes) {
      const auto done = populate_node(os, region, node);
      if (!done) refusals.push_back(done.error());
    }
  }
  if (const int result = saved.restore(); result < 0) {
    return refusal(os,
                   {.call = Call::set_mempolicy,
                    .tried = "cannot restore the thread's memory policy, which now prefers one "
                             "node"},
                   result);
  }
  if (refusals.size() == plan.nodes.size()) return Unexpected(refusals.front());
  return refusals;
}

/// A huge page that is present moves as a whole, so those with misplaced pages are split. True when
/// there was one to ask for.
bool split_huge_pages(os::Os& os, Region region, const placement::PageMap& map,
                      const Audit& where) {
  std::uintptr_t unit_done = 0;
  for (std::size_t page = 0; page < map.size(); ++page) {
    char* const address = page_address(os, region, page);
    const std::uintptr_t unit = reinterpret_cast<std::uintptr_t>(address) / huge_page_bytes;
    if (unit == unit_done || !where.node_of_page[page] || *where.node_of_page[page] == map[page]) {
      continue;
    }
    split_huge_page(os, address);
    unit_done = unit;
  }
  return unit_done != 0;
}

/// Since Linux 6.12 a split lets go of the pages that hold only zeros. Gives the audit as it is
/// now.
Result<Audit> populate_what_went(os::Os& os, Region region, const placement::PageMap& map,
                                 const Plan& plan, Audit before, std::vector<Error>& refusals) {
  const auto missing = [](const Audit& where) {
    return std::count(where.node_of_page.begin(), where.node_of_page.end(), std::nullopt);
  };
  auto now = audit(os, region);
  if (!now || missing(*now) <= missing(before)) return now;
  const auto again = populate(os, region, map, plan);
  if (!again) return again.as_unexpected();
  refusals.insert(refusals.end(), again->begin(), again->end());
  return audit(os, region);
}

Error moved_along(std::size_t pages) {
  return {ErrorCode::failed, 0,
          fmt::format("{} pages are elsewhere: they moved with huge pages that the kernel did not "
                      "split",
                      pages),
          "turn transparent huge pages off for this program and place it again"};
}

std::size_t count_as_planned(const placement::PageMap& map, const Audit& where) {
  std::size_t count = 0;
  for (std::size_t page = 0; page < map.size(); ++page) {
    if (where.node_of_page[page] == map[page]) ++count;
  }
  return count;
}

/// Moves what is still elsewhere, and brings `where` up to date.
Result<void> move_rest(os::Os& os, Region region, const placement::PageMap& map, const Plan& plan,
                       Audit& where, std::vector<Error>& refusals) {
  const bool any_misplaced = count_as_planned(map, where) < map.size();
  const auto not_moved = move_misplaced(os, region, map, where);
  if (!not_moved) return not_moved.as_unexpected();
  refusals.insert(refusals.end(), not_moved->begin(), not_moved->end());
  if (!plan.divides_huge_pages || !any_misplaced) return {};
  // A huge page that was not split has moved whole, with pages that were right before.
  auto after = audit(os, region);
  if (!after) return after.as_unexpected();
  where = *std::move(after);
  const std::size_t wrong = map.size() - count_as_planned(map, where);
  if (wrong > 0 && refusals.empty()) refusals.push_back(moved_along(wrong));
  return {};
}

}  // namespace

Result<Receipt> place_pages(os::Os& os, Region region, const placement::PageMap& map,
                            os::Clock* clock) {
  const std::size_t page_bytes = os.page_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(region.address);
  assert(address % page_bytes == 0);
  if (map.size() != page_count(os, region)) {
    return bad_usage(fmt::format("the map has {} entries for a region of {} pages", map.size(),
                                 page_count(os, region)),
                     "give one entry per page");
  }
  if (map.empty()) return Receipt{};
  const Plan plan = make_plan(map, {address / page_bytes, huge_page_bytes / page_bytes});
  if (plan.divides_huge_pages) {  // They would swallow other nodes' pages, now or later.
    if (const auto forbidden = forbid_huge_pages(os, region); !forbidden) {
      return forbidden.as_unexpected();
    }
  }
  PhaseTimer timer(clock);
  PhaseTimes times;
  const auto refusals = populate(os, region, map, plan);
  if (!refusals) return refusals.as_unexpected();
  times.populate = timer.lap();

  auto where = audit(os, region);
  if (!where) return where.as_unexpected();
  times.audit = timer.lap();
  Receipt receipt{.pages = map.size(), .refusals = *refusals};
  const std::size_t right_at_once = count_as_planned(map, *where);
  if (plan.divides_huge_pages && split_huge_pages(os, region, map, *where)) {
    auto split = populate_what_went(os, region, map, plan, *std::move(where), receipt.refusals);
    if (!split) return split.as_unexpected();
    where = *std::move(split);
  }
  if (const auto moved = move_rest(os, region, map, plan, *where, receipt.refusals); !moved) {
    return moved.as_unexpected();
  }
  times.move = timer.lap();
  receipt.times = times;
  receipt.as_planned = count_as_planned(map, *where);
  receipt.moved = receipt.as_planned - right_at_once;
  receipt.bytes_moved = receipt.moved * page_bytes;
  receipt.refused = receipt.pages - receipt.as_planned;
  if (receipt.refused == 0) receipt.refusals.clear();
  return receipt;
}

std::size_t page_count(os::Os& os, Region region) {
  const std::size_t page = os.page_bytes();
  return region.bytes / page + (region.bytes % page != 0 ? 1 : 0);
}

Result<void> set_region_policy(os::Os& os, Region region, const placement::Policy& policy) {
  return bind_region(os, region, policy, 0);
}

}  // namespace homenode::actuation
