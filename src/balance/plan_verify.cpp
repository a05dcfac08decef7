// Whether a plan holds, by the samples after it.
#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// The window as it would be had the plan changed nothing.
Observation without_plan(const Promise& promise, Observation seen) {
  for (Thread& thread : seen.threads) {
    const auto before = promise.threads_before.find(thread.key);
    if (before != promise.threads_before.end()) thread.node = before->second;
  }
  for (Region& region : seen.regions) {
    const auto before = promise.pages_before.find(region.first);
    if (before != promise.pages_before.end()) region.pages = before->second;
  }
  return seen;
}

/// What a plan has moved to one node each.
Observation moved_by(const Promise& promise, Observation seen) {
  std::erase_if(seen.regions, [&](const Region& region) {
    const auto home = promise.pages.find(region.first);
    return home == promise.pages.end() || home->second.size() > 1;
  });
  return seen;
}

}  // namespace

Promise promise_of(const Decision& decision, double gain, const Observation& seen) {
  Promise promise{decision.action, gain, decision.busiest_before > 0, {}, {}, {}, {}};
  const ThreadNodes threads = nodes_of(seen);
  for (const ThreadMove& move : decision.threads) {
    promise.threads[move.thread] = move.node;
    promise.threads_before[move.thread] = threads.at(move.thread);
  }
  for (const PageMove& move : decision.pages) promise.pages[move.first] = move.home;
  for (const Region& region : seen.regions) {
    if (promise.pages.contains(region.first)) promise.pages_before[region.first] = region.pages;
  }
  return promise;
}

Effect effect_of(const Promise& promise, const Observation& seen) {
  const Observation before = without_plan(promise, seen);
  ThreadNodes threads = nodes_of(seen);
  for (auto& [thread, node] : threads) {
    const auto target = promise.threads.find(thread);
    if (target != promise.threads.end()) node = target->second;
  }
  const auto share = [&](const Observation& window, const ThreadNodes& nodes,
                         const RegionHomes& pages) {
    return promise.spreads ? busiest_share(window, pages) : local_share(window, nodes, pages);
  };
  const double better = promise.spreads ? -1 : 1;  // More of the local share, less of the busiest.
  Effect effect;
  effect.without = share(before, nodes_of(before), {});
  effect.now = share(seen, nodes_of(seen), {});
  effect.planned = share(seen, threads, promise.pages);
  if (!promise.spreads) {
    effect.moved_local = local_share(moved_by(promise, seen), nodes_of(seen), {});
  }
  effect.gained = better * (effect.now - effect.without);
  effect.promised = better * (effect.planned - effect.without);
  return effect;
}

}  // namespace homenode::balance
