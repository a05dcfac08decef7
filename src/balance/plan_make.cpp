// The best that there is to do for one process, and whether it is worth it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// Ids that both have with the same node.
template <class Targets>
Targets in_both(const Targets& a, const Targets& b) {
  Targets both;
  for (const auto& [id, node] : a) {
    const auto other = b.find(id);
    if (other != b.end() && other->second == node) both.emplace(id, node);
  }
  return both;
}

/// The samples of these threads.
double uses_of(const Observation& seen, const ThreadNodes& threads) {
  double sum = 0;
  for (const Region& region : seen.regions) {
    for (const auto& [thread, uses] : region.uses) sum += threads.contains(thread) ? uses : 0;
  }
  return sum;
}

class Planner {
 public:
  Planner(const Observation& seen, const Context& context)
      : seen_(seen),
        context_(context),
        worth_(seen, context.setting, context.costs, context.limits),
        local_(local_share(seen, nodes_of(seen), {})) {}

  Decision plan() {
    Decision decision = best();
    decision.local_before = local_;
    return decision;
  }

 private:
  Decision best() {
    if (1 - local_ <= tolerated_share(context_.memory, context_.limits)) {
      context_.memory.goes_on = false;
      forget_verdict(context_.memory);
      return nothing(seen_, in_percent(local_) + " of its use is local");
    }
    if (context_.now_s < context_.memory.quiet_until_s)
      return nothing(seen_, "a plan was made a short time ago");
    Decision decision = threads();
    if (decision.action != Action::bind_threads || is_dead_end(decision)) {
      Decision instead = pages();
      const bool better =
          instead.action == Action::move_pages &&
          instead.local_predicted >= decision.local_predicted + context_.limits.least_gain;
      if (decision.action != Action::bind_threads || better) decision = std::move(instead);
    }
    decision = spread(std::move(decision));
    return decision.action == Action::nothing ? decision : confirmed(std::move(decision));
  }

  /// The threads where they are, but for those that go elsewhere.
  [[nodiscard]] ThreadNodes nodes_with(const ThreadNodes& targets) const {
    ThreadNodes nodes = nodes_of(seen_);
    for (const auto& [thread, node] : targets) nodes[thread] = node;
    return nodes;
  }

  /// Where pages find the threads. Those that the window before wanted to keep with their memory
  /// are bound there with it: where the scheduler takes them meanwhile is no reason to think anew.
  [[nodiscard]] ThreadNodes wanted_nodes() const {
    return context_.memory.verdict == Action::move_pages
               ? nodes_with(context_.memory.thread_targets)
               : nodes_of(seen_);
  }

  Decision threads() {
    const ThreadNodes nodes =
        nodes_with(plan_threads(seen_, context_.setting, context_.memory.thread_targets));
    Decision decision = nothing(seen_, "no thread is nearer to its memory on another node");
    decision.local_predicted = local_share(seen_, nodes, {});
    decision.benefit_s = worth_.nearer_s(nodes, {});
    if (decision.local_predicted - local_ < context_.limits.least_gain || decision.benefit_s <= 0) {
      return decision;
    }
    decision.action = Action::bind_threads;
    decision.reason = fmt::format("threads on the nodes of their memory make the local share {}",
                                  in_percent(decision.local_predicted));
    for (const Thread& thread : seen_.threads) {
      const auto node = nodes.find(thread.key);
      if (node != nodes.end() && is_movable(thread)) add_thread(decision, thread, node->second);
    }
    return decision;
  }

  /// Whether pages could bring clearly more than these threads and the pages after them: threads
  /// that share memory with some that have to stay would leave those alone with it.
  [[nodiscard]] bool is_dead_end(const Decision& threads) const {
    ThreadNodes nodes = nodes_of(seen_);
    const double alone = local_share(seen_, nodes, pages_for(nodes));
    for (const ThreadMove& move : threads.threads) nodes[move.thread] = move.node;
    return alone >= local_share(seen_, nodes, pages_for(nodes)) + context_.limits.least_gain;
  }

  [[nodiscard]] RegionHomes pages_for(const ThreadNodes& nodes) const {
    return plan_pages(seen_, context_.memory, nodes, context_.setting, context_.limits, bounds());
  }

  /// What was begun with pages is brought to its end.
  [[nodiscard]] double least_gain_of(Action action) const {
    const bool goes_on = context_.memory.goes_on && action == Action::move_pages;
    return goes_on ? context_.limits.least_more_gain : context_.limits.least_gain;
  }

  /// What moving may cost for now.
  [[nodiscard]] PageBounds bounds() const {
    const double budget_s =
        context_.limits.most_cost_share * seen_.age_s * seen_.cpus - context_.memory.spent_s;
    return {context_.now_s, std::max(0.0, budget_s / (context_.costs.page_s + 1e-12))};
  }

  void add_thread(Decision& decision, const Thread& thread, NodeId node) const {
    const machine::Node* const there = context_.setting.machine.find(node);
    const CpuSet cpus = there == nullptr ? CpuSet{} : there->cpus & seen_.cpuset;
    if (!cpus.empty()) decision.threads.push_back({thread.key, node, cpus});
  }

  /// Pages to the only users where those are, or to groups of users that are brought together,
  /// where that brings clearly more.
  Decision pages() {
    ThreadNodes nodes = wanted_nodes();
    RegionHomes targets = pages_for(nodes);
    std::string together;
    const ThreadNodes groups = plan_groups(seen_, context_.setting, context_.limits);
    if (!groups.empty()) {
      const ThreadNodes grouped = nodes_with(groups);
      const RegionHomes followed = pages_for(grouped);
      // A little is enough: threads cost next to nothing, and the pages have to go anyway.
      if (local_share(seen_, grouped, followed) - local_share(seen_, nodes, targets) >=
          context_.limits.least_more_gain) {
        nodes = grouped;
        targets = followed;
        together = fmt::format(", with {} threads brought together,", groups.size());
      }
    }
    return worth_it(nodes, targets, together);
  }

  [[nodiscard]] Decision worth_it(const ThreadNodes& nodes, const RegionHomes& targets,
                                  const std::string& together) const {
    Decision decision = nothing(seen_, "no memory has users on one other node alone");
    if (targets.empty()) return decision;
    const std::uint64_t pages = pages_to_move(seen_, targets);
    decision.local_predicted = local_share(seen_, nodes, targets);
    decision.benefit_s = worth_.nearer_s(nodes, targets);
    decision.cost_s = worth_.cost_s(pages);
    if (decision.local_predicted - local_ < least_gain_of(Action::move_pages)) {
      decision.reason = "memory of one node's threads is too small a part of what is used";
      return decision;
    }
    if (decision.benefit_s < context_.limits.benefit_over_cost * decision.cost_s) {
      decision.reason = fmt::format("moving {} pages costs {:.3f} s and brings {:.3f} s", pages,
                                    decision.cost_s, decision.benefit_s);
      return decision;
    }
    decision.action = Action::move_pages;
    decision.reason = fmt::format("{} pages beside their only users{} make the local share {}",
                                  pages, together, in_percent(decision.local_predicted));
    add_pages(decision, targets);
    // A thread that the scheduler takes elsewhere would leave its memory behind.
    for (const Thread& thread : seen_.threads) {
      if (is_movable(thread)) add_thread(decision, thread, nodes.at(thread.key));
    }
    return decision;
  }

  /// Memory that several nodes' threads share, from where one node serves most of it to all of
  /// theirs: no thread is nearer then, but none waits for the one node. Else, or where that brings
  /// more, what was decided.
  [[nodiscard]] Decision spread(Decision otherwise) const {
    // Threads that all run take a little less than a CPU each.
    if (std::round(seen_.cpus) < context_.limits.least_spread_cpus) return otherwise;
    const RegionHomes targets =
        plan_spread(seen_, context_.memory, context_.setting, context_.limits, bounds());
    const double busiest = busiest_share(seen_, {});
    const double busiest_then = busiest_share(seen_, targets);
    Decision decision = nothing(seen_, "");
    decision.busiest_before = busiest;
    decision.local_predicted = local_share(seen_, nodes_of(seen_), targets);
    const double gain = busiest - busiest_then;
    const double lost = std::max(0.0, local_ - decision.local_predicted);
    const double instead =
        otherwise.action == Action::nothing
            ? 0
            : context_.limits.local_over_busiest * (otherwise.local_predicted - local_);
    const double net = gain - context_.limits.local_over_busiest * lost;
    if (net < std::max(instead, least_gain_of(Action::move_pages))) return otherwise;
    const std::uint64_t pages = pages_to_move(seen_, targets);
    decision.benefit_s = worth_.saved_s(net);
    decision.cost_s = worth_.cost_s(pages);
    if (decision.benefit_s < context_.limits.benefit_over_cost * decision.cost_s) return otherwise;
    decision.action = Action::move_pages;
    decision.reason = fmt::format(
        "{} shared pages over the nodes of their threads; one node serves {} of all "
        "uses then, not {}",
        pages, in_percent(busiest_then), in_percent(busiest));
    add_pages(decision, targets);
    return decision;
  }

  void add_pages(Decision& decision, const RegionHomes& targets) const {
    for (const Region& region : seen_.regions) {
      const auto target = targets.find(region.first);
      if (target == targets.end()) continue;
      decision.pages.push_back({region.first, region.bytes, region.page_size, target->second,
                                pages_elsewhere(region, target->second)});
    }
  }

  /// The part of a plan that the windows before wanted too; a look where there were too few.
  Decision confirmed(Decision decision) {
    ThreadNodes wanted_threads;
    for (const ThreadMove& move : decision.threads) wanted_threads[move.thread] = move.node;
    RegionHomes wanted_regions;
    for (const PageMove& move : decision.pages) wanted_regions[move.first] = move.home;
    ThreadNodes threads = wanted_threads;
    RegionHomes regions = wanted_regions;
    const bool again = context_.memory.verdict == decision.action;
    if (again) {
      threads = in_both(threads, context_.memory.thread_targets);
      regions = in_both(regions, context_.memory.page_targets);
    }
    if (!again || (threads.empty() && regions.empty())) {  // It is the first to want this.
      context_.memory.windows = 0;
      threads = wanted_threads;
      regions = wanted_regions;
    }
    ++context_.memory.windows;
    context_.memory.verdict = decision.action;
    context_.memory.thread_targets = threads;
    context_.memory.page_targets = regions;
    if (context_.memory.windows < context_.limits.windows) {
      decision.action = Action::look;
      decision.reason +=
          fmt::format("; window {} of {}", context_.memory.windows, context_.limits.windows);
      return decision;
    }
    // What both windows want may be too little of a plan to be worth it: threads that stay free go
    // where the scheduler takes them.
    const double promised = local_share(seen_, nodes_with(threads), regions);
    const bool is_whole = decision.action != Action::bind_threads ||
                          uses_of(seen_, threads) >= context_.limits.agreed_share * uses_of(seen_);
    const double busiest = decision.busiest_before;
    const double busiest_then = busiest > 0 ? busiest_share(seen_, regions) : 0;
    const double gain = busiest > 0 ? busiest - busiest_then : promised - local_;
    if (!is_whole || gain < least_gain_of(decision.action)) {
      context_.memory.windows = 1;  // Of what this window wants.
      context_.memory.thread_targets = wanted_threads;
      context_.memory.page_targets = wanted_regions;
      decision.action = Action::look;
      decision.reason += "; the windows agree on too little of it";
      return decision;
    }
    std::erase_if(decision.threads,
                  [&](const ThreadMove& m) { return !threads.contains(m.thread); });
    std::erase_if(decision.pages, [&](const PageMove& m) { return !regions.contains(m.first); });
    context_.memory.promise = promise_of(decision, gain, seen_);
    decision.local_predicted = promised;
    for (const auto& [region, home] : regions)
      remember_move(context_.memory, region, home, context_.now_s, context_.limits);
    context_.memory.quiet_until_s = context_.now_s + context_.limits.cool_down_s;
    context_.memory.spent_s += decision.cost_s;
    forget_verdict(context_.memory);
    return decision;
  }

  const Observation& seen_;
  const Context& context_;
  Worth worth_;
  double local_;
};

}  // namespace

Decision plan(const Observation& evidence, const Context& context) {
  return Planner(evidence, context).plan();
}

}  // namespace homenode::balance
