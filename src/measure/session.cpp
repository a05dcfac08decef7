#include "measure/session.h"

#include <algorithm>
#include <cassert>
#include <ctime>

#include "measure/statistics.h"

namespace homenode::measure {

std::vector<std::size_t> Session::members_of(NodeId node) const {
  std::vector<std::size_t> members;
  for (CpuId cpu : plan.cpus_of.at(node).to_vector()) members.push_back(team.member_on(cpu));
  return members;
}

std::optional<double> Session::next_run_seconds() {
  if (clock.modelled()) return std::nullopt;
  // The caller's slot is its own: the members are asleep between figures.
  const double gone_s = static_cast<double>(clock.now_ps(0) - begin_ps) * 1e-12;
  const std::size_t left = std::max<std::size_t>(plan.figures() - done, 1);
  return run_seconds(plan.budget_s - gone_s, left, plan.runs);
}

void Session::figure_done(const std::string& what) {
  ++done;
  if (say) say({done, plan.figures(), what});
}

Interval timed(os::Clock& clock, std::size_t slot, const std::function<void()>& part) {
  const bool on_host = !clock.modelled();
  const auto seconds = [on_host](clockid_t which) {
    std::timespec now{};
    if (on_host) clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  Interval interval;
  const double ran_before = seconds(CLOCK_THREAD_CPUTIME_ID);
  const double host_before = seconds(CLOCK_MONOTONIC);
  interval.begin_ps = clock.now_ps(slot);
  part();
  interval.end_ps = clock.now_ps(slot);
  interval.host_s = seconds(CLOCK_MONOTONIC) - host_before;
  const double ran_s = seconds(CLOCK_THREAD_CPUTIME_ID) - ran_before;
  interval.away_s = std::max(interval.host_s - ran_s, 0.0);
  return interval;
}

double away_share(std::span<const Interval> intervals) {
  double away_s = 0.0;
  double host_s = 0.0;
  for (const Interval& interval : intervals) {
    away_s += interval.away_s;
    host_s += interval.host_s;
  }
  return host_s > 0.0 ? away_s / host_s : 0.0;
}

double elapsed_s(std::span<const Interval> intervals) {
  assert(!intervals.empty());
  std::uint64_t first = intervals.front().begin_ps;
  std::uint64_t last = intervals.front().end_ps;
  for (const Interval& interval : intervals) {
    first = std::min(first, interval.begin_ps);
    last = std::max(last, interval.end_ps);
  }
  return last > first ? static_cast<double>(last - first) * 1e-12 : 0.0;
}

Error clock_stands_still() {
  return {ErrorCode::failed, 0, "the clock stood still during a run",
          "in the lab, run on a machine whose timing is modelled"};
}

}  // namespace homenode::measure
