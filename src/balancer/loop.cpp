#include "balancer/loop.h"

#include <algorithm>
#include <map>

namespace homenode::balancer {
namespace {

using balance::Action;
using balance::Decision;

/// With `once`, a process about which so many rounds gave no verdict has none.
constexpr int most_rounds_once = 12;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

balance::Costs costs_of(const MigrationCosts& measured) {
  constexpr double ns = 1e-9;
  balance::Costs costs;
  costs.call_s = measured.busy.call_ns * ns;
  costs.page_s = measured.busy.page_ns * ns;
  costs.pages_of_a_call = static_cast<double>(pages_of_a_call);
  return costs;
}

void add(MoveReceipt& sum, const MoveReceipt& receipt) {
  sum.planned += receipt.planned;
  sum.moved += receipt.moved;
  sum.vanished += receipt.vanished;
  sum.refused += receipt.refused;
  sum.ended = sum.ended || receipt.ended;
  sum.refusals.insert(sum.refusals.end(), receipt.refusals.begin(), receipt.refusals.end());
}

}  // namespace

Loop::Loop(const sensing::SystemFiles& files, const machine::Machine& machine, const os::Pace& pace,
           Changes& changes, LoopOptions options, MigrationCosts costs)
    : machine_(machine),
      pace_(pace),
      changes_(changes),
      options_(std::move(options)),
      costs_(costs_of(costs)),
      observer_(files, machine, pace, options_.observer) {}

void Loop::use(std::chrono::nanoseconds interval, ObserverOptions options) {
  options_.interval = interval;
  options_.observer = options;
  observer_.use(std::move(options));
}

std::vector<Decision> Loop::decide(std::vector<balance::Observation>& seen) {
  auto step = balance::step(std::move(state_), seconds(pace_.now()), seen, machine_, costs_,
                            options_.observer.limits);
  state_ = std::move(step.state);
  return std::move(step.decisions);
}

void Loop::look_closely(std::vector<balance::Observation>& seen,
                        const std::vector<Decision>& decisions, std::vector<Outcome>& all) {
  std::vector<balance::Observation> closer;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Outcome outcome{std::move(seen[i]), decisions[i], false, 0, {}, {}, {}};
    if (decisions[i].action != Action::look) {
      observer_.forget_samples(outcome.seen.process.id);
    } else if (auto done = observer_.look_closely(outcome.seen); !done) {
      outcome.decision.action = Action::nothing;
      outcome.errors.push_back(done.error());
    } else if (observer_.waits_for_samples(outcome.seen)) {
      outcome.decision.reason = "it has taken too few samples of itself yet";
    } else {
      closer.push_back(std::move(outcome.seen));
      continue;
    }
    all.push_back(std::move(outcome));
  }
  const auto judged = decide(closer);
  for (std::size_t i = 0; i < closer.size(); ++i) {
    all.push_back({std::move(closer[i]), judged[i], false, 0, {}, {}, {}});
  }
}

/// With a plan that a dry run does not carry out, and where nothing is left to do.
bool Loop::is_settled(const Outcome& outcome) const {
  const Action action = outcome.decision.action;
  const bool planned = action == Action::bind_threads || action == Action::move_pages;
  return action == Action::nothing || action == Action::hands_off || (options_.dry_run && planned);
}

bool Loop::round(const Tell& tell) {
  auto seen = observer_.look(changes_);
  const auto decisions = decide(seen);
  std::vector<Outcome> outcomes;
  look_closely(seen, decisions, outcomes);
  bool settled = !outcomes.empty();
  for (Outcome& outcome : outcomes) {
    apply(outcome);
    settled = settled && is_settled(outcome);
    tell(outcome);
  }
  return settled;
}

void Loop::apply(Outcome& outcome) {
  const Action action = outcome.decision.action;
  if (options_.dry_run) {
    state_.processes[outcome.seen.process].promise.reset();
    return;
  }
  if (action == Action::bind_threads || action == Action::move_pages) {
    changes_.begin_plan(outcome.seen.process);
    bind(outcome);
    if (action == Action::move_pages) move(outcome);
    outcome.applied = outcome.bound > 0 || outcome.moved.moved > 0;
  } else if (action == Action::undo || action == Action::hands_off) {
    undo(outcome);
  }
  if (outcome.applied) observer_.forget_samples(outcome.seen.process.id);
}

void Loop::bind(Outcome& outcome) {
  for (const balance::ThreadMove& move : outcome.decision.threads) {
    const auto bound = changes_.bind(outcome.seen.process, move.thread, move.cpus);
    if (!bound) {
      outcome.errors.push_back(bound.error());
      return;
    }
    outcome.bound += *bound ? 1 : 0;
  }
}

void Loop::move(Outcome& outcome) {
  for (const auto& [target, ranges] : ranges_by_node(outcome.decision.pages)) {
    std::uint64_t pages = 0;
    for (const sensing::PageRange& range : ranges) pages += range.pages;
    const auto moved = changes_.move(outcome.seen.process, ranges, target, pages);
    if (!moved) {
      outcome.errors.push_back(moved.error());
      return;
    }
    add(outcome.moved, *moved);
    if (pace_.stopped()) return;
  }
}

void Loop::undo(Outcome& outcome) {
  auto restored = changes_.take_back(outcome.seen.process);
  if (!restored) {
    outcome.errors.push_back(restored.error());
    return;
  }
  outcome.restored = std::move(*restored);
  outcome.applied = true;
}

Result<Restored> Loop::run(const Tell& tell, const std::function<bool()>& over) {
  if (options_.stop_kernel_balancing && !options_.dry_run) {
    if (auto stopped = changes_.stop_kernel_balancing(); !stopped) return stopped.as_unexpected();
  }
  const auto& wait = options_.wait ? options_.wait : pace_.pause;
  for (int rounds = 0; !pace_.stopped() && !over(); ++rounds) {
    if (!observer_.anything_left()) break;
    const bool settled = round(tell);
    if (options_.once && rounds > 0 && (settled || rounds >= most_rounds_once)) return Restored{};
    wait(options_.interval);
  }
  return changes_.restore();
}

}  // namespace homenode::balancer
