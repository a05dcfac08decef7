#include "lab/timing/time_spent.h"

#include <algorithm>
#include <numeric>

namespace homenode::lab {
namespace {

// Of so many a thread's sleeps are told apart by the futex, of more by the system call alone.
constexpr std::size_t most_kinds_of_sleep = 64;

}  // namespace

std::uint64_t ThreadTime::computed_ps() const {
  const std::uint64_t others_ps =
      std::accumulate(stalls_ps.begin(), stalls_ps.end(), kernel_ps + spun_ps);
  return busy_ps - std::min(busy_ps, others_ps);
}

std::uint64_t ThreadTime::slept_ps() const {
  std::uint64_t sum_ps = 0;
  for (const auto& [call, sleep] : sleeps) sum_ps += sleep.slept_ps;
  return sum_ps;
}

void ThreadTime::sleep(SystemCall call, std::uint64_t slept_ps, const Wake* wake) {
  if (sleeps.size() >= most_kinds_of_sleep && !sleeps.contains(call)) call.address = 0;
  Sleeps& all = sleeps[call];
  ++all.times;
  all.slept_ps += slept_ps;
  if (wake == nullptr) return;
  all.most_at_once = std::max(all.most_at_once, std::uint64_t{wake->order});
  ++(wake->by ? all.woken_by[*wake->by] : all.woken_by_none);
}

void ThreadTime::stall(std::span<const std::uint64_t> since_ps,
                       std::span<const std::uint64_t> until_ps) {
  stalls_ps.resize(until_ps.size());
  for (std::size_t i = 0; i < until_ps.size(); ++i) stalls_ps[i] += until_ps[i] - since_ps[i];
}

void ThreadTime::add(const ThreadTime& other) {
  busy_ps += other.busy_ps;
  instructions += other.instructions;
  first_ps = std::min(first_ps, other.first_ps);
  last_ps = std::max(last_ps, other.last_ps);
  kernel_ps += other.kernel_ps;
  spun_ps += other.spun_ps;
  ready_ps += other.ready_ps;
  stalls_ps.resize(std::max(stalls_ps.size(), other.stalls_ps.size()));
  for (std::size_t i = 0; i < other.stalls_ps.size(); ++i) stalls_ps[i] += other.stalls_ps[i];
  for (const auto& [call, sleep] : other.sleeps) {
    Sleeps& all = sleeps[call];
    all.times += sleep.times;
    all.slept_ps += sleep.slept_ps;
    all.most_at_once = std::max(all.most_at_once, sleep.most_at_once);
    all.woken_by_none += sleep.woken_by_none;
    for (const auto& [thread, times] : sleep.woken_by) all.woken_by[thread] += times;
  }
}

}  // namespace homenode::lab
