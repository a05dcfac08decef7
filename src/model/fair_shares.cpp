#include "model/fair_shares.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace homenode::model {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
// Rounding leaves a full resource or a finished flow this much.
constexpr double tolerance = 1e-12;

/// A flow while it runs: its progress a second and what keeps it there.
struct Rate {
  double progress = 0;
  std::size_t held_up_by = 0;
  bool fixed = false;
};

double fastest(const Flow& flow) {
  return flow.least_s > 0 ? 1 / flow.least_s : unlimited;
}

double needed(const Flow& flow, std::size_t resource) {
  double seconds = 0;
  for (const Need& need : flow.needs) {
    if (need.resource == resource) seconds += need.seconds;
  }
  return seconds;
}

/// One filling of all resources by the flows that are not done.
class Filling {
 public:
  Filling(const std::vector<Flow>& flows, std::size_t resources, const std::vector<bool>& done)
      : flows_(flows), free_(resources, 1.0), rates_(flows.size()) {
    for (std::size_t flow = 0; flow < flows.size(); ++flow) rates_[flow].fixed = done[flow];
  }

  std::vector<Rate> run() {
    while (std::any_of(rates_.begin(), rates_.end(), [](const Rate& r) { return !r.fixed; }))
      step();
    return std::move(rates_);
  }

 private:
  /// Raises all rates that are not fixed to the next level at which one must stay.
  void step() {
    const std::vector<double> asked = asked_by_resource();
    double level = unlimited;
    for (std::size_t r = 0; r < free_.size(); ++r) {
      if (asked[r] > 0) level = std::min(level, std::max(free_[r], 0.0) / asked[r]);
    }
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (!rates_[flow].fixed) level = std::min(level, fastest(flows_[flow]) / flows_[flow].weight);
    }
    fix_at(level, asked);
  }

  [[nodiscard]] std::vector<double> asked_by_resource() const {
    std::vector<double> asked(free_.size(), 0);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (rates_[flow].fixed) continue;
      for (const Need& need : flows_[flow].needs) {
        asked[need.resource] += flows_[flow].weight * need.seconds;
      }
    }
    return asked;
  }

  void fix_at(double level, const std::vector<double>& asked) {
    std::vector<bool> full(free_.size(), false);
    for (std::size_t r = 0; r < free_.size(); ++r) {
      full[r] = asked[r] > 0 && free_[r] / asked[r] <= level * (1 + tolerance);
    }
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (rates_[flow].fixed) continue;
      const Flow& of = flows_[flow];
      const auto at = std::find_if(of.needs.begin(), of.needs.end(), [&](const Need& need) {
        return need.seconds > 0 && full[need.resource];
      });
      if (at != of.needs.end()) {
        fix(flow, level * of.weight, at->resource);
      } else if (level == unlimited || fastest(of) / of.weight <= level * (1 + tolerance)) {
        fix(flow, fastest(of), free_.size());
      }
    }
  }

  void fix(std::size_t flow, double progress, std::size_t by) {
    rates_[flow] = {progress, by, true};
    for (const Need& need : flows_[flow].needs) {
      if (need.seconds > 0) free_[need.resource] -= progress * need.seconds;
    }
  }

  const std::vector<Flow>& flows_;
  std::vector<double> free_;
  std::vector<Rate> rates_;
};

}  // namespace

std::vector<Completion> complete(const std::vector<Flow>& flows, std::size_t resources) {
  std::vector<Completion> found(flows.size());
  std::vector<double> left(flows.size(), 1.0);
  std::vector<bool> done(flows.size(), false);
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    assert(flows[flow].weight > 0 && flows[flow].least_s >= 0);
    found[flow].held_up_s.assign(resources + 1, 0);
    double all = flows[flow].least_s;
    for (std::size_t r = 0; r < resources; ++r) all += needed(flows[flow], r);
    done[flow] = all == 0;
  }
  double now = 0;
  while (std::find(done.begin(), done.end(), false) != done.end()) {
    const std::vector<Rate> rates = Filling(flows, resources, done).run();
    double step = unlimited;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (!done[flow]) step = std::min(step, left[flow] / rates[flow].progress);
    }
    now += step;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (done[flow]) continue;
      found[flow].held_up_s[rates[flow].held_up_by] += step;
      left[flow] -= step * rates[flow].progress;
      if (left[flow] > tolerance) continue;
      done[flow] = true;
      found[flow].seconds = now;
    }
  }
  return found;
}

}  // namespace homenode::model
