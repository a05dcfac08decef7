// Regions whose pages belong to several nodes' threads.
#include <algorithm>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

void add(Pairs& pairs, const std::map<TaskKey, double>& now,
         const std::map<TaskKey, double>& before, const ThreadNodes& threads) {
  const auto here = owner_of(now, threads);
  const auto then = owner_of(before, threads);
  if (!here || !then) return;
  pairs.all += here->uses * then->uses;
  for (const auto& [node, count] : here->by_node) {
    const auto same = then->by_node.find(node);
    if (same != then->by_node.end()) pairs.same += count * same->second;
  }
}

void fade(Pairs& pairs, double decay) {
  pairs.all *= decay;
  pairs.same *= decay;
}

}  // namespace

void add_pairs(RememberedRegion& remembered, const Region& now, const ThreadNodes& threads,
               const Limits& limits) {
  fade(remembered.of_region, limits.decay);
  fade(remembered.of_pages, limits.decay);
  add(remembered.of_region, now.uses, remembered.region.uses, threads);
  auto before = remembered.region.used_pages.begin();
  const auto end = remembered.region.used_pages.end();
  for (const Page& page : now.used_pages) {
    before = std::find_if(before, end, [&](const Page& b) { return b.address >= page.address; });
    if (before == end) return;
    if (before->address == page.address) {
      add(remembered.of_pages, page.uses, before->uses, threads);
    }
  }
}

bool is_to_split(const RememberedRegion& remembered, const Limits& limits) {
  const Pairs& of_pages = remembered.of_pages;
  const Pairs& of_region = remembered.of_region;
  // As many pairs as pages, or a few pages would speak for all.
  if (of_pages.all <= 0 ||
      of_pages.all < static_cast<double>(remembered.region.used_pages.size())) {
    return false;
  }
  const double pages = of_pages.same / of_pages.all;
  return pages >= limits.mostly_share &&
         pages >= of_region.same / of_region.all + limits.least_split;
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
