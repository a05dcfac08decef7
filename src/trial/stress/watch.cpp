// The thread of the stress test that watches: it samples pages and threads, has the threads
// released and ends the cycles in time.
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "sensing/page_query.h"
#include "trial/stress/team.h"

namespace homenode::trial {
namespace {

namespace stress = workloads::stress;
using SteadyTime = std::chrono::steady_clock::time_point;

double seconds_since(SteadyTime begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

SystemMoves read_system_moves(os::Os& os) {
  std::string text;
  return os.read_file("/proc/vmstat", text) == 0 ? moves_in(text) : SystemMoves{};
}

std::optional<std::uint64_t> growth_of(std::optional<std::uint64_t> before,
                                       std::optional<std::uint64_t> after) {
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

}  // namespace

void StressTeam::take_sample(double seconds) {
  stress::Sample sample;
  sample.seconds = seconds;
  std::vector<int> status;
  if (sensing::query_pages(os_, 0, sampled_addresses_, status) != 0) status.clear();
  status.resize(sampled_addresses_.size(), -ENOENT);
  for (int node : status) {
    sample.node_of_page.push_back(node < 0 ? std::nullopt
                                           : std::optional(NodeId(static_cast<unsigned>(node))));
  }
  for (const Worker& worker : workers_) sample.node_of_thread.emplace_back(worker.node.load());
  report_.samples.push_back(std::move(sample));
}

/// Looks at pages and threads at each interval until all workers have finished.
void StressTeam::watch() {
  const StressOptions& options = report_.plan.options;
  const SystemMoves before = read_system_moves(os_);
  const auto begin = std::chrono::steady_clock::now();
  take_sample(0.0);  // While every thread is still where it was pinned.
  if (options.hold_s) {
    const auto told = perturber_.release_after(*options.hold_s, report_.plan.all_cpus);
    if (!told) refuse(told.error());
  }
  pollfd events[2] = {{done_event_, POLLIN, 0}, {perturber_.descriptor(), POLLIN, 0}};
  double next_s = options.interval_s;
  for (std::size_t done = 0; done < workers_.size();) {
    const double now_s = seconds_since(begin);
    const double end_s = options.cycles || stop_ ? next_s : std::min(next_s, options.seconds);
    const int ready = poll(events, 2, static_cast<int>(std::max(0.0, end_s - now_s) * 1e3) + 1);
    if (ready > 0 && events[0].revents != 0) {
      eventfd_t finished = 0;
      eventfd_read(done_event_, &finished);
      done += finished;
    }
    if (ready > 0 && events[1].revents != 0) {
      const auto released = perturber_.released();
      if (released) report_.released_s = seconds_since(begin);
      if (!released) refuse(released.error());
      events[1].fd = -1;  // It says nothing more.
    }
    if (!options.cycles && seconds_since(begin) >= options.seconds) stop_ = true;
    if (seconds_since(begin) < next_s) continue;
    take_sample(seconds_since(begin));
    next_s = seconds_since(begin) + options.interval_s;
  }
  report_.seconds = seconds_since(begin);
  take_sample(report_.seconds);
  const SystemMoves after = read_system_moves(os_);
  report_.system_moves = {growth_of(before.balancing, after.balancing),
                          growth_of(before.migrated, after.migrated)};
}

}  // namespace homenode::trial
