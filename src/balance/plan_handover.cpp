// Memory that threads hand on to each other: another's in each phase of a program.
#include <algorithm>
#include <set>
#include <utility>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// The thread that surely has a region to itself, by the uses of one window.
std::optional<TaskKey> user_of(const Region& region, const Limits& limits) {
  const double all = uses_of(region);
  if (all <= 0) return std::nullopt;
  const auto most = std::ranges::max_element(
      region.uses, {}, [](const auto& use_of_thread) { return use_of_thread.second; });
  const double share = surely_at_least(most->second / all, all, limits.sureness);
  return share > limits.least_sure_share ? std::optional(most->first) : std::nullopt;
}

using Users = std::set<TaskKey>;

/// Adds users to the circle that some of them are in, and joins the circles that they connect.
void add_circle(std::vector<Users>& circles, Users users) {
  std::erase_if(circles, [&](const Users& circle) {
    const bool meets = std::ranges::any_of(circle, [&](auto& one) { return users.contains(one); });
    if (meets) users.insert(circle.begin(), circle.end());
    return meets;
  });
  circles.push_back(std::move(users));
}

/// As if each of these threads had the same part of its uses.
void use_evenly(Region& region, const Users& users) {
  const double of_each = uses_of(region) / static_cast<double>(users.size());
  region.uses.clear();
  for (const TaskKey& user : users) region.uses[user] = of_each;
}

}  // namespace

void note_user(RememberedRegion& remembered, const Region& now, const ThreadNodes& threads,
               const Limits& limits) {
  const auto user = user_of(now, limits);
  if (!user) return;
  // What a thread leaves behind at its end it hands to nobody.
  std::erase_if(remembered.users, [&](const TaskKey& one) { return !threads.contains(one); });
  const auto& before = remembered.user;
  if (before && *before != *user && threads.contains(*before)) ++remembered.handovers;
  remembered.users.insert(*user);
  remembered.user = user;
}

bool is_handed_on(const RememberedRegion& remembered, const Limits& limits) {
  return remembered.handovers > limits.most_handovers;
}

std::vector<Region> used_in_turn(const std::map<std::uint64_t, RememberedRegion>& remembered,
                                 const Limits& limits) {
  std::vector<Users> circles;
  for (const auto& [first, one] : remembered) {
    if (is_handed_on(one, limits)) add_circle(circles, one.users);
  }
  std::vector<Region> regions;
  for (const auto& [first, one] : remembered) {
    regions.push_back(one.region);
    if (!is_handed_on(one, limits)) continue;
    const TaskKey& user = *one.user;
    const auto circle =
        std::ranges::find_if(circles, [&](const Users& c) { return c.contains(user); });
    use_evenly(regions.back(), *circle);
  }
  return regions;
}

}  // namespace homenode::balance
