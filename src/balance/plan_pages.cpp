// Memory beside its only users.
#include <algorithm>
#include <cmath>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

class Candidates {
 public:
  Candidates(const ProcessMemory& before, const ThreadNodes& threads, const Setting& setting,
             const Limits& limits, double now_s)
      : before_(before), threads_(threads), setting_(setting), limits_(limits), now_s_(now_s) {}

  /// Where a region is to go, if anywhere.
  [[nodiscard]] std::optional<NodeId> target(const Region& region) const {
    if (!region.why_not.empty()) return std::nullopt;
    const auto owner = owner_of(region.uses, threads_);
    if (!owner || owner->share < limits_.mostly_share || rests(region.first, owner->node) ||
        !is_sure(region, *owner)) {
      return std::nullopt;
    }
    if (owner->share < limits_.exclusive_share && hurts(region, *owner)) return std::nullopt;
    return owner->node;
  }

 private:
  /// Whether there are enough uses to tell. Of a page among others that are mostly one node's, one
  /// is.
  [[nodiscard]] bool is_sure(const Region& region, const Owner& owner) const {
    if (region.is_split_off) return owner.share > limits_.mostly_share;
    return owner.uses >= limits_.least_region_samples &&
           surely_at_least(owner.share, owner.uses, limits_.sureness) > limits_.least_sure_share;
  }

  /// It was moved a short time ago, or counts as shared: it was spread, or has gone to and fro.
  [[nodiscard]] bool rests(std::uint64_t region, NodeId target) const {
    const auto moved = before_.moved.find(region);
    if (moved == before_.moved.end()) return false;
    const bool other = moved->second.home != Home{target};
    return moved->second.home.size() > 1 || now_s_ < moved->second.quiet_until_s ||
           (other && moved->second.bounces >= limits_.most_bounces);
  }

  /// Whether a node with a heavy part of the uses would have farther to go.
  [[nodiscard]] bool hurts(const Region& region, const Owner& owner) const {
    return std::ranges::any_of(owner.by_node, [&](const auto& user) {
      if (user.second < limits_.heavy_share * owner.uses) return false;
      double today = 0;
      for (const auto& [node, pages] : region.pages) {
        today += part_on(region, node) * setting_.remoteness.of(user.first, node);
      }
      return setting_.remoteness.of(user.first, owner.node) > today;
    });
  }

  const ProcessMemory& before_;
  const ThreadNodes& threads_;
  const Setting& setting_;
  const Limits& limits_;
  double now_s_;
};

/// Pages of a region that each node of its home is to get.
std::map<NodeId, double> arriving(const Region& region, const Home& home) {
  std::map<NodeId, double> pages;
  const auto all = static_cast<double>(pages_of(region));
  for (const NodeId node : home) {
    pages[node] = all * part_on(home, node) * (1 - part_on(region, node));
  }
  return pages;
}

}  // namespace

double surely_at_least(double share, double samples, double quantile) {
  const double square = quantile * quantile / samples;
  const double middle = share + square / 2;
  const double half = quantile * std::sqrt(share * (1 - share) / samples + square / (4 * samples));
  return (middle - half) / (1 + square);
}

std::optional<Owner> owner_of(const std::map<TaskKey, double>& uses, const ThreadNodes& threads) {
  Owner owner;
  for (const auto& [thread, count] : uses) {
    const auto node = threads.find(thread);
    if (node == threads.end()) continue;
    owner.by_node[node->second] += count;
    owner.uses += count;
  }
  if (owner.uses <= 0) return std::nullopt;
  for (const auto& [node, count] : owner.by_node) {
    if (count / owner.uses <= owner.share) continue;
    owner.node = node;
    owner.share = count / owner.uses;
  }
  return owner;
}

Space::Space(const Observation& seen, const Setting& setting, const Limits& limits,
             const PageBounds& bounds)
    : pages_(bounds.most_pages) {
  for (const auto& [node, free] : seen.free) {
    const machine::Node* const known = setting.machine.find(node);
    if (known == nullptr || !seen.memory.contains(node)) continue;
    const auto taken = setting.bytes_taken.find(node);
    room_[node] = static_cast<double>(free.value) -
                  limits.least_free_share * static_cast<double>(known->memory.value) -
                  (taken == setting.bytes_taken.end() ? 0 : taken->second);
  }
}

bool Space::take(const Region& region, const Home& home) {
  const auto needed = arriving(region, home);
  const auto page_size = static_cast<double>(region.page_size.value);
  double all = 0;
  for (const auto& [node, pages] : needed) {
    if (room_[node] < pages * page_size) return false;
    all += pages;
  }
  if (all > pages_) return false;
  pages_ -= all;
  for (const auto& [node, pages] : needed) room_[node] -= pages * page_size;
  return true;
}

std::uint64_t pages_elsewhere(const Region& region, const Home& home) {
  double all = 0;
  for (const auto& [node, pages] : arriving(region, home)) all += pages;
  return static_cast<std::uint64_t>(std::llround(all));
}

std::uint64_t pages_to_move(const Observation& seen, const RegionHomes& targets) {
  std::uint64_t pages = 0;
  for (const Region& region : seen.regions) {
    const auto target = targets.find(region.first);
    if (target != targets.end()) pages += pages_elsewhere(region, target->second);
  }
  return pages;
}

RegionHomes plan_pages(const Observation& seen, const ProcessMemory& before,
                       const ThreadNodes& threads, const Setting& setting, const Limits& limits,
                       const PageBounds& bounds) {
  struct Candidate {
    const Region* region = nullptr;
    NodeId target;
    double uses_of_page = 0;
  };
  const Candidates all(before, threads, setting, limits, bounds.now_s);
  std::vector<Candidate> candidates;
  for (const Region& region : seen.regions) {
    const auto target = all.target(region);
    if (!target) continue;
    const auto pages = static_cast<double>(pages_elsewhere(region, {*target}));
    if (pages > 0) candidates.push_back({&region, *target, uses_of(region) / pages});
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.uses_of_page > b.uses_of_page;
  });
  Space space(seen, setting, limits, bounds);
  RegionHomes targets;
  for (const Candidate& candidate : candidates) {
    if (!space.take(*candidate.region, {candidate.target})) continue;
    targets[candidate.region->first] = {candidate.target};
  }
  return targets;
}

}  // namespace homenode::balance
