#include "balance/state.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// The pages of both, those before with decay, as long as they would be remembered as regions.
std::vector<Page> merged(const std::vector<Page>& before, const std::vector<Page>& now,
                         const Limits& limits) {
  std::map<std::uint64_t, Page> all;
  for (const Page& page : now) all[page.address] = page;
  const double least = std::pow(limits.decay, limits.most_unseen);
  for (const Page& page : before) {
    auto known = all.find(page.address);
    if (known == all.end()) {
      const bool fades = std::ranges::all_of(
          page.uses, [&](const auto& use) { return limits.decay * use.second < least; });
      if (fades) continue;
      known = all.emplace(page.address, Page{page.address, page.node, {}}).first;
    }
    add_uses(known->second.uses, page.uses, limits.decay);
  }
  std::vector<Page> pages;
  for (auto& [address, page] : all) pages.push_back(std::move(page));
  return pages;
}

/// A region, or a page of one that is split, is there from now on.
void note_move(ProcessMemory& memory, std::uint64_t first, const Home& home) {
  auto at = memory.regions.upper_bound(first);
  if (at == memory.regions.begin()) return;
  RememberedRegion& remembered = std::prev(at)->second;
  Region& region = remembered.region;
  if (first >= region.first + region.bytes) return;
  if (!remembered.is_split) {
    region.pages = pages_in_turn(home, pages_of(region));
    for (Page& page : region.used_pages) page.node = node_of(home, page.address, region.page_size);
    return;
  }
  const auto page = std::ranges::lower_bound(region.used_pages, first, {}, &Page::address);
  if (page != region.used_pages.end() && page->address == first) page->node = home.front();
}

}  // namespace

void remember(ProcessMemory& memory, const Observation& seen, const Limits& limits) {
  // More would take too much memory: of small pages, these are a GiB.
  constexpr std::ptrdiff_t most_split = 512;
  const ThreadNodes threads = nodes_of(seen);
  auto split = std::ranges::count_if(memory.regions,
                                     [](const auto& entry) { return entry.second.is_split; });
  for (auto& [first, remembered] : memory.regions) ++remembered.windows_unseen;
  for (const Region& region : seen.regions) {
    RememberedRegion& remembered = memory.regions[region.first];
    add_pairs(remembered, region, threads, limits);
    note_user(remembered, region, threads, limits);
    const Region before = std::exchange(remembered.region, region);
    remembered.windows_unseen = 0;
    add_uses(remembered.region.uses, before.uses, limits.decay);
    remembered.region.used_pages = merged(before.used_pages, region.used_pages, limits);
    const bool goes_whole = is_handed_on(remembered, limits);
    if (goes_whole) remembered.is_split = false;
    if (goes_whole || remembered.is_split || split == most_split) continue;
    remembered.is_split = is_to_split(remembered, limits);
    split += remembered.is_split ? 1 : 0;
  }
  std::erase_if(memory.regions, [&](const auto& entry) {
    return entry.second.windows_unseen > limits.most_unseen;
  });
}

Observation in_pieces(const ProcessMemory& memory, Observation seen) {
  std::vector<Region> regions;
  for (Region& region : seen.regions) {
    const auto known = memory.regions.find(region.first);
    if (known != memory.regions.end() && known->second.is_split) {
      append_pages(regions, region);
    } else {
      regions.push_back(std::move(region));
    }
  }
  seen.regions = std::move(regions);
  return seen;
}

void forget_uses(ProcessMemory& memory) {
  for (auto& [first, remembered] : memory.regions) {
    remembered.region.uses.clear();
    remembered.region.used_pages.clear();
    remembered.of_region = {};
    remembered.of_pages = {};
    remembered.is_split = false;
  }
}

Observation evidence(const ProcessMemory& memory, const Observation& seen, const Limits& limits) {
  Observation all = seen;
  all.regions = used_in_turn(memory.regions, limits);
  return in_pieces(memory, std::move(all));
}

void forget_verdict(ProcessMemory& memory) {
  memory.verdict = Action::nothing;
  memory.windows = 0;
  memory.page_targets.clear();
  memory.thread_targets.clear();
}

void remember_move(ProcessMemory& memory, std::uint64_t region, const Home& home, double now_s,
                   const Limits& limits) {
  const auto [moved, first] = memory.moved.try_emplace(region, MovedRegion{home});
  MovedRegion& here = moved->second;
  if (!first && here.home != home) ++here.bounces;
  here.home = home;
  note_move(memory, region, home);
  here.quiet_until_s = now_s + limits.region_cool_down_s * std::exp2(here.bounces);
}

bool is_new_phase(ProcessMemory& memory, const Observation& seen, const Limits& limits) {
  const auto changed = [&](double now, double then) {
    return now >= limits.new_phase * then || then >= limits.new_phase * now;
  };
  const Phase& then = memory.phase;
  const bool is_new =
      changed(static_cast<double>(seen.resident.value), static_cast<double>(then.resident_bytes)) ||
      changed(static_cast<double>(seen.threads.size()), static_cast<double>(then.threads));
  if (!is_new) return false;
  memory.hands_off = false;
  memory.failed_plans = 0;
  memory.moved.clear();
  return true;
}

std::map<NodeId, double> cpus_of_all(const State& state, double now_s) {
  constexpr double recent_s = 60;
  std::map<NodeId, double> cpus;
  for (const auto& [process, memory] : state.processes) {
    if (now_s - memory.seen_s > recent_s) continue;
    for (const auto& [node, here] : memory.cpus) cpus[node] += here;
  }
  return cpus;
}

}  // namespace homenode::balance
