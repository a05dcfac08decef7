// What the windows of one process come to: what is to be done with it, and why.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "balance/plan.h"

namespace homenode::balance {
namespace {

class Judge {
 public:
  Judge(const Observation& seen, const Context& context) : seen_(seen), context_(context) {}

  Decision judge() {
    if (context_.memory.hands_off && !is_new_phase(context_.memory, seen_, context_.limits)) {
      return nothing(seen_, "its plans have failed: hands off");
    }
    if (auto why = gate(seen_, context_.setting.machine, context_.limits); !why.empty())
      return nothing(seen_, why);
    if (seen_.regions.empty() && seen_.source.empty()) return coarse();
    if (!has_enough_samples(seen_, context_.limits)) {
      forget_verdict(context_.memory);
      return nothing(seen_, too_few_samples(seen_, uses_of(seen_),
                                            ++context_.memory.windows_short_of_samples));
    }
    context_.memory.windows_short_of_samples = 0;
    remember(context_.memory, seen_, context_.limits);
    if (context_.memory.promise) return verify();
    return plan(evidence(context_.memory, seen_, context_.limits), context_);
  }

 private:
  Decision coarse() {
    const double local = coarse_local_share(seen_);
    Decision decision = nothing(seen_, "");
    decision.local_before = local;
    if (!context_.memory.promise && context_.now_s < context_.memory.quiet_until_s) {
      decision.reason = "a plan was made a short time ago";
    } else if (!context_.memory.promise &&
               1 - local <= tolerated_share(context_.memory, context_.limits)) {
      decision.reason = "no more than " + in_percent(1 - local) + " of its use is remote";
    } else {
      decision.action = Action::look;
      decision.reason = "up to " + in_percent(1 - local) + " of its use may be remote";
    }
    return decision;
  }

  Decision verify() {
    const Promise promise = *context_.memory.promise;
    context_.memory.promise.reset();
    forget_verdict(context_.memory);
    const Effect effect = effect_of(promise, in_pieces(context_.memory, seen_));
    Decision decision = nothing(seen_, "");
    decision.local_before = local_share(seen_, nodes_of(seen_), {});
    decision.local_predicted = promise.spreads ? decision.local_before : effect.planned;
    decision.reason =
        fmt::format("{} {}; {} without the plan, predicted {}",
                    promise.spreads ? "of all uses one node serves" : "local share",
                    in_percent(effect.now), in_percent(effect.without), in_percent(effect.planned));
    if (!promise.spreads && promise.action == Action::move_pages) {
      decision.reason += fmt::format("; of what was moved {}", in_percent(effect.moved_local));
    }
    // A window may see less of what the plan is about than those before. Pages that it does not
    // see do no harm where they are; threads have to show something, or they are free again.
    constexpr double at_least = 0.5;
    const double promised = std::min(promise.gain, effect.promised);
    const bool shows = promise.action == Action::move_pages ||
                       effect.gained >= at_least * context_.limits.least_of_promise * promise.gain;
    if (shows && effect.gained >= context_.limits.least_of_promise * promised) {
      decision.action = Action::verify;
      context_.memory.failed_plans = 0;
      context_.memory.goes_on = true;
      context_.memory.quiet_until_s = context_.now_s;  // Pages may follow the threads at once.
      return decision;
    }
    context_.memory.goes_on = false;
    ++context_.memory.failed_plans;
    context_.memory.hands_off = context_.memory.failed_plans >= context_.limits.most_failed_plans;
    context_.memory.phase = {seen_.resident.value, seen_.threads.size()};
    context_.memory.quiet_until_s =
        context_.now_s + context_.limits.cool_down_s * std::exp2(context_.memory.failed_plans);
    forget_uses(context_.memory);
    decision.action = context_.memory.hands_off ? Action::hands_off : Action::undo;
    return decision;
  }

  const Observation& seen_;
  const Context& context_;
};

}  // namespace

Decision judge(const Observation& seen, const Context& context) {
  return Judge(seen, context).judge();
}

}  // namespace homenode::balance
