// Regions whose pages belong to several nodes' threads.
#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// Pairs of uses, and those of them that are by threads of one node.
struct Pairs {
  double all = 0;
  double same = 0;
};

void add_pairs(Pairs& pairs, const std::map<TaskKey, double>& uses, const ThreadNodes& threads) {
  const auto owner = owner_of(uses, threads);
  if (!owner || owner->uses <= 1) return;
  pairs.all += owner->uses * (owner->uses - 1);
  for (const auto& [node, count] : owner->by_node) {
    if (count > 1) pairs.same += count * (count - 1);
  }
}

}  // namespace

bool is_to_split(const Region& region, const ThreadNodes& threads, const Limits& limits) {
  if (region.used_pages.size() < 2) return false;
  Pairs of_pages;
  for (const Page& page : region.used_pages) add_pairs(of_pages, page.uses, threads);
  Pairs of_region;
  add_pairs(of_region, region.uses, threads);
  // As many pairs as pages, or a few pages would speak for all.
  return of_pages.all >= static_cast<double>(region.used_pages.size()) &&
         of_pages.same >= limits.exclusive_share * of_pages.all &&
         of_region.same < limits.exclusive_share * of_region.all;
}

void append_pages(std::vector<Region>& regions, const Region& region) {
  for (const Page& page : region.used_pages) {
    regions.push_back({page.address,
                       region.page_size.value,
                       region.page_size,
                       {{page.node, 1}},
                       page.uses,
                       region.why_not,
                       {},
                       true});
  }
}

}  // namespace homenode::balance
