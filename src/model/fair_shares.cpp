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

/// One filling of all resources by what runs; null: that course is done.
class Filling {
 public:
  Filling(const std::vector<const Flow*>& flows, std::size_t resources)
      : flows_(flows), free_(resources, 1.0), rates_(flows.size()) {
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      rates_[flow].fixed = flows[flow] == nullptr;
    }
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
      if (!rates_[flow].fixed)
        level = std::min(level, fastest(*flows_[flow]) / flows_[flow]->weight);
    }
    fix_at(level, asked);
  }

  [[nodiscard]] std::vector<double> asked_by_resource() const {
    std::vector<double> asked(free_.size(), 0);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (rates_[flow].fixed) continue;
      for (const Need& need : flows_[flow]->needs) {
        asked[need.resource] += flows_[flow]->weight * need.seconds;
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
      const Flow& of = *flows_[flow];
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
    for (const Need& need : flows_[flow]->needs) {
      if (need.seconds > 0) free_[need.resource] -= progress * need.seconds;
    }
  }

  const std::vector<const Flow*>& flows_;
  std::vector<double> free_;
  std::vector<Rate> rates_;
};

/// Whether a flow takes no time at all.
bool is_nothing(const Flow& flow, std::size_t resources) {
  double all = flow.least_s;
  for (std::size_t r = 0; r < resources; ++r) all += needed(flow, r);
  return all == 0;
}

/// How far a course has come.
struct Position {
  const Course& course;
  std::size_t resources;
  std::size_t at = 0;
  double left = 1;

  [[nodiscard]] const Flow* flow() const { return at < course.size() ? &course[at] : nullptr; }
  /// Behind flows that take no time.
  void skip_nothing() {
    while (at < course.size() && is_nothing(course[at], resources)) ++at;
  }
  void next() {
    ++at;
    left = 1;
    skip_nothing();
  }
};

}  // namespace

std::vector<Completion> complete(const std::vector<Course>& courses, std::size_t resources) {
  std::vector<Completion> found(courses.size());
  std::vector<Position> positions;
  for (std::size_t course = 0; course < courses.size(); ++course) {
    found[course].held_up_s.assign(resources + 1, 0);
    positions.push_back({courses[course], resources});
    positions.back().skip_nothing();
  }
  std::vector<const Flow*> running(courses.size());
  double now = 0;
  while (true) {
    std::transform(positions.begin(), positions.end(), running.begin(),
                   [](const Position& position) { return position.flow(); });
    if (std::all_of(running.begin(), running.end(), [](const Flow* f) { return f == nullptr; }))
      return found;
    const std::vector<Rate> rates = Filling(running, resources).run();
    double step = unlimited;
    for (std::size_t course = 0; course < courses.size(); ++course) {
      if (running[course] == nullptr) continue;
      step = std::min(step, positions[course].left / rates[course].progress);
    }
    now += step;
    for (std::size_t course = 0; course < courses.size(); ++course) {
      if (running[course] == nullptr) continue;
      found[course].held_up_s[rates[course].held_up_by] += step;
      positions[course].left -= step * rates[course].progress;
      if (positions[course].left > tolerance) continue;
      positions[course].next();
      found[course].seconds = now;
    }
  }
}

std::vector<Completion> complete(const std::vector<Flow>& flows, std::size_t resources) {
  std::vector<Course> courses;
  for (const Flow& flow : flows) {
    assert(flow.weight > 0 && flow.least_s >= 0);
    courses.push_back({flow});
  }
  return complete(courses, resources);
}

}  // namespace homenode::model
