// What the windows of one process come to: what is to be done with it, and why.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

constexpr double percent = 100;

std::string in_percent(double share) {
  return fmt::format("{:.1f} %", percent * share);
}

Decision nothing(const Observation& seen, std::string reason) {
  Decision decision;
  decision.process = seen.process;
  decision.reason = std::move(reason);
  return decision;
}

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

/// How many samples a window has to have. A huge page is sampled once, however much it is used, so
/// that memory of them gives but a few for each region; verdicts take two windows all the same.
double samples_needed(const Observation& seen, const Limits& limits) {
  constexpr double at_least = 0.25;  // [chosen] Of what is asked for otherwise.
  const double of_regions = limits.least_region_samples * static_cast<double>(seen.regions.size());
  return std::min(limits.least_samples, std::max(at_least * limits.least_samples, of_regions));
}

class Judge {
 public:
  Judge(const Observation& seen, ProcessMemory& memory, double now_s, const Setting& setting,
        const Costs& costs, const Limits& limits)
      : seen_(seen),
        memory_(memory),
        now_s_(now_s),
        setting_(setting),
        costs_(costs),
        limits_(limits),
        worth_(seen, setting, costs, limits),
        local_(local_share(seen, nodes_of(seen), {})) {}

  Decision judge() {
    if (memory_.hands_off && !is_new_phase(memory_, seen_, limits_)) {
      return nothing(seen_, "its plans have failed: hands off");
    }
    if (auto why = gate(seen_, setting_.machine, limits_); !why.empty()) return nothing(seen_, why);
    if (seen_.regions.empty() && seen_.source.empty()) return coarse();
    const double uses = uses_of(seen_);
    if (uses < samples_needed(seen_, limits_)) {
      forget_verdict(memory_);
      return nothing(seen_, too_few_samples(seen_, uses, ++memory_.windows_short_of_samples));
    }
    memory_.windows_short_of_samples = 0;
    remember_uses(memory_, seen_, limits_.decay);
    Decision decision = memory_.promise ? verify() : plan();
    decision.local_before = local_;
    return decision;
  }

 private:
  Decision coarse() {
    const double local = coarse_local_share(seen_);
    Decision decision = nothing(seen_, "");
    decision.local_before = local;
    if (!memory_.promise && now_s_ < memory_.quiet_until_s) {
      decision.reason = "a plan was made a short time ago";
    } else if (!memory_.promise && 1 - local <= tolerated_share()) {
      decision.reason = "no more than " + in_percent(1 - local) + " of its use is remote";
    } else {
      decision.action = Action::look;
      decision.reason = "up to " + in_percent(1 - local) + " of its use may be remote";
    }
    return decision;
  }

  Decision verify() {
    const Promise promise = *memory_.promise;
    memory_.promise.reset();
    forget_verdict(memory_);
    double gained = local_ - promise.local_before;
    double promised = promise.local_predicted - promise.local_before;
    Decision decision = nothing(seen_, "");
    decision.local_predicted = promise.local_predicted;
    decision.reason =
        fmt::format("local share {} after {}, predicted {}", in_percent(local_),
                    in_percent(promise.local_before), in_percent(promise.local_predicted));
    if (promise.busiest_before > 0) {
      const double busiest = busiest_share(seen_, {});
      gained = promise.busiest_before - busiest;
      promised = promise.busiest_before - promise.busiest_predicted;
      decision.reason =
          fmt::format("one node serves {} of all uses after {}, predicted {}", in_percent(busiest),
                      in_percent(promise.busiest_before), in_percent(promise.busiest_predicted));
    }
    if (gained >= limits_.least_of_promise * promised) {
      decision.action = Action::verify;
      memory_.failed_plans = 0;
      memory_.goes_on = true;
      memory_.quiet_until_s = now_s_;  // Pages may follow the threads at once.
      return decision;
    }
    memory_.goes_on = false;
    ++memory_.failed_plans;
    memory_.hands_off = memory_.failed_plans >= limits_.most_failed_plans;
    memory_.phase = {seen_.resident.value, seen_.threads.size()};
    memory_.quiet_until_s = now_s_ + limits_.cool_down_s * std::exp2(memory_.failed_plans);
    memory_.uses.clear();
    decision.action = memory_.hands_off ? Action::hands_off : Action::undo;
    return decision;
  }

  /// The part of the use that may be remote. What was begun is brought to its end: with the same
  /// bound for both, a plan whose cost is spread over time would stop short of it.
  [[nodiscard]] double tolerated_share() const {
    return memory_.goes_on ? limits_.least_gain : limits_.least_remote_share;
  }

  Decision plan() {
    if (1 - local_ <= tolerated_share()) {
      memory_.goes_on = false;
      forget_verdict(memory_);
      return nothing(seen_, in_percent(local_) + " of its use is local");
    }
    if (now_s_ < memory_.quiet_until_s) return nothing(seen_, "a plan was made a short time ago");
    Decision decision = threads();
    if (decision.action != Action::bind_threads || is_dead_end(decision)) {
      Decision instead = pages();
      const bool better = instead.action == Action::move_pages &&
                          instead.local_predicted >= decision.local_predicted + limits_.least_gain;
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

  Decision threads() {
    const ThreadNodes nodes = nodes_with(plan_threads(seen_, setting_, memory_.thread_targets));
    Decision decision = nothing(seen_, "no thread is nearer to its memory on another node");
    decision.local_predicted = local_share(seen_, nodes, {});
    decision.benefit_s = worth_.nearer_s(nodes, {});
    if (decision.local_predicted - local_ < limits_.least_gain || decision.benefit_s <= 0) {
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
    return alone >= local_share(seen_, nodes, pages_for(nodes)) + limits_.least_gain;
  }

  [[nodiscard]] RegionNodes pages_for(const ThreadNodes& nodes) const {
    return plan_pages(seen_, memory_, nodes, setting_, limits_, bounds());
  }

  /// What moving may cost for now.
  [[nodiscard]] PageBounds bounds() const {
    const double budget_s = limits_.most_cost_share * seen_.age_s * seen_.cpus - memory_.spent_s;
    return {now_s_, std::max(0.0, budget_s / (costs_.page_s + 1e-12))};
  }

  void add_thread(Decision& decision, const Thread& thread, NodeId node) const {
    const machine::Node* const there = setting_.machine.find(node);
    const CpuSet cpus = there == nullptr ? CpuSet{} : there->cpus & seen_.cpuset;
    if (!cpus.empty()) decision.threads.push_back({thread.key, node, cpus});
  }

  /// Pages to the only users where those are, or to groups of users that are brought together,
  /// where that brings clearly more.
  Decision pages() {
    ThreadNodes nodes = nodes_of(seen_);
    RegionNodes targets = pages_for(nodes);
    std::string together;
    const ThreadNodes groups = plan_groups(seen_, setting_, limits_);
    if (!groups.empty()) {
      const ThreadNodes grouped = nodes_with(groups);
      const RegionNodes followed = pages_for(grouped);
      if (local_share(seen_, grouped, followed) - local_share(seen_, nodes, targets) >=
          limits_.least_gain) {
        nodes = grouped;
        targets = followed;
        together = fmt::format(", with {} threads brought together,", groups.size());
      }
    }
    return worth_it(nodes, targets, together);
  }

  [[nodiscard]] Decision worth_it(const ThreadNodes& nodes, const RegionNodes& targets,
                                  const std::string& together) const {
    Decision decision = nothing(seen_, "no memory has users on one other node alone");
    if (targets.empty()) return decision;
    const std::uint64_t pages = pages_to_move(seen_, targets);
    decision.local_predicted = local_share(seen_, nodes, targets);
    decision.benefit_s = worth_.nearer_s(nodes, targets);
    decision.cost_s = worth_.cost_s(pages);
    if (decision.local_predicted - local_ < limits_.least_gain) {
      decision.reason = "memory of one node's threads is too small a part of what is used";
      return decision;
    }
    if (decision.benefit_s < limits_.benefit_over_cost * decision.cost_s) {
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
    if (seen_.cpus < limits_.least_spread_cpus) return otherwise;
    const RegionNodes targets = plan_spread(seen_, memory_, setting_, limits_, bounds());
    const double busiest = busiest_share(seen_, {});
    const double busiest_then = busiest_share(seen_, targets);
    Decision decision = nothing(seen_, "");
    decision.busiest_before = busiest;
    decision.local_predicted = local_share(seen_, nodes_of(seen_), targets);
    const double gain = busiest - busiest_then;
    const double lost = std::max(0.0, local_ - decision.local_predicted);
    const double instead = otherwise.action == Action::nothing
                               ? 0
                               : limits_.local_over_busiest * (otherwise.local_predicted - local_);
    const double net = gain - limits_.local_over_busiest * lost;
    if (net < std::max(instead, limits_.least_gain)) return otherwise;
    const std::uint64_t pages = pages_to_move(seen_, targets);
    decision.benefit_s = worth_.saved_s(net);
    decision.cost_s = worth_.cost_s(pages);
    if (decision.benefit_s < limits_.benefit_over_cost * decision.cost_s) return otherwise;
    decision.action = Action::move_pages;
    decision.reason = fmt::format(
        "{} shared pages over the nodes of their threads; one node serves {} of all "
        "uses then, not {}",
        pages, in_percent(busiest_then), in_percent(busiest));
    add_pages(decision, targets);
    return decision;
  }

  void add_pages(Decision& decision, const RegionNodes& targets) const {
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
    RegionNodes wanted_regions;
    for (const PageMove& move : decision.pages) wanted_regions[move.first] = move.target;
    ThreadNodes threads = wanted_threads;
    RegionNodes regions = wanted_regions;
    const bool again = memory_.verdict == decision.action;
    if (again) {
      threads = in_both(threads, memory_.thread_targets);
      regions = in_both(regions, memory_.page_targets);
    }
    memory_.windows = again && !(threads.empty() && regions.empty()) ? memory_.windows + 1 : 1;
    memory_.verdict = decision.action;
    memory_.thread_targets = threads;
    memory_.page_targets = regions;
    if (memory_.windows < limits_.windows) {
      decision.action = Action::look;
      decision.reason += fmt::format("; window {} of {}", memory_.windows, limits_.windows);
      return decision;
    }
    // What both windows want may be too little of a plan to be worth it: threads that stay free go
    // where the scheduler takes them.
    const double promised = local_share(seen_, nodes_with(threads), regions);
    const bool is_whole = decision.action != Action::bind_threads ||
                          uses_of(seen_, threads) >= limits_.agreed_share * uses_of(seen_);
    const double busiest = decision.busiest_before;
    const double busiest_then = busiest > 0 ? busiest_share(seen_, regions) : 0;
    const double gain = busiest > 0 ? busiest - busiest_then : promised - local_;
    if (!is_whole || gain < limits_.least_gain) {
      memory_.windows = 1;  // Of what this window wants.
      memory_.thread_targets = wanted_threads;
      memory_.page_targets = wanted_regions;
      decision.action = Action::look;
      decision.reason += "; the windows agree on too little of it";
      return decision;
    }
    std::erase_if(decision.threads,
                  [&](const ThreadMove& m) { return !threads.contains(m.thread); });
    std::erase_if(decision.pages, [&](const PageMove& m) { return !regions.contains(m.first); });
    memory_.promise = Promise{decision.action, local_, promised, busiest, busiest_then};
    decision.local_predicted = promised;
    for (const auto& [region, node] : regions)
      remember_move(memory_, region, node, now_s_, limits_);
    memory_.quiet_until_s = now_s_ + limits_.cool_down_s;
    memory_.spent_s += decision.cost_s;
    forget_verdict(memory_);
    return decision;
  }

  const Observation& seen_;
  ProcessMemory& memory_;
  double now_s_;
  const Setting& setting_;
  const Costs& costs_;
  const Limits& limits_;
  Worth worth_;
  double local_;
};

}  // namespace

Decision judge(const Observation& seen, ProcessMemory& memory, double now_s, const Setting& setting,
               const Costs& costs, const Limits& limits) {
  return Judge(seen, memory, now_s, setting, costs, limits).judge();
}

}  // namespace homenode::balance
