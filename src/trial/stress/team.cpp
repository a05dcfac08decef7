#include "trial/stress/team.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "os/lab_clock.h"
#include "os/processes.h"
#include "placement/policies/policy.h"
#include "sensing/page_query.h"
#include "workloads/map/team.h"
#include "workloads/program/program.h"

namespace homenode::trial {
namespace {

namespace stress = workloads::stress;

/// After so many pages a thread says on which node it is.
constexpr std::size_t pages_per_look = 256;

/// Evenly spread over the memory, so over all blocks.
std::vector<std::size_t> choose_sample(std::size_t pages, std::size_t wanted) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(pages, wanted);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(static_cast<std::size_t>(static_cast<double>(i) * static_cast<double>(pages) /
                                              static_cast<double>(count)));
  }
  return chosen;
}

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

StressTeam::StressTeam(os::Os& os, actuation::Region memory, Perturber& perturber,
                       StressReport& report)
    : os_(os),
      memory_(memory),
      perturber_(perturber),
      report_(report),
      workers_(report.plan.team.threads()),
      done_event_(eventfd(0, EFD_CLOEXEC)) {
  const StressPlan& plan = report.plan;
  report.sampled_pages = choose_sample(plan.bytes() / plan.page_bytes, plan.options.samples);
  for (std::size_t page : report.sampled_pages) {
    sampled_addresses_.push_back(static_cast<char*>(memory.address) + page * plan.page_bytes);
  }
}

StressTeam::~StressTeam() {
  if (done_event_ >= 0) close(done_event_);
}

actuation::Region StressTeam::region_of(unsigned number) const {
  const std::size_t bytes = report_.plan.block_bytes;
  return {static_cast<char*>(memory_.address) + number * bytes, bytes};
}

stress::Block StressTeam::block(unsigned number) const {
  const StressPlan& plan = report_.plan;
  const actuation::Region region = region_of(number);
  return {{static_cast<std::uint64_t*>(region.address), region.bytes / 8},
          plan.page_bytes / 8,
          plan.options.stride_bytes / 8,
          number};
}

void StressTeam::refuse(const Error& error) {
  const std::lock_guard guard(lock_);
  if (!error_) error_ = error;
}

/// Has all threads pinned as soon as their numbers are known.
bool StressTeam::prepare_watcher() {
  const StressPlan& plan = report_.plan;
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this] { return arrived_ == workers_.size(); });
  std::vector<PinnedThread> threads;
  for (unsigned i = 0; i < workers_.size(); ++i) {
    threads.push_back({workers_[i].thread, plan.cpu_of_thread[i]});
  }
  const auto done = perturber_.pin(threads);
  if (!done) error_ = done.error();
  pinned_ = done.has_value();
  changed_.notify_all();
  guard.unlock();
  if (done && plan.options.first_touch == FirstTouch::main) {
    for (unsigned i = 0; i < workers_.size(); ++i) stress::touch_first(block(i));
  }
  return done.has_value();
}

/// Says which thread it is, waits until it is pinned, and touches its own block.
bool StressTeam::prepare_worker(unsigned thread) {
  const StressPlan& plan = report_.plan;
  {
    std::unique_lock guard(lock_);
    workers_[thread].thread = os::thread_id();
    workers_[thread].node = plan.start_node(thread).value();
    arrived_ += 1;
    changed_.notify_all();
    changed_.wait(guard, [this] { return pinned_.has_value(); });
    if (!*pinned_) return false;
  }
  if (plan.options.first_touch == FirstTouch::bound) {
    const placement::Policy bind{placement::PolicyKind::bind, {plan.start_node(thread)}, false};
    const auto done = actuation::set_region_policy(os_, region_of(thread), bind);
    if (!done) {
      refuse(done.error());
      return false;
    }
  }
  if (plan.options.first_touch != FirstTouch::main) stress::touch_first(block(thread));
  return true;
}

/// One walk over a block; false when what was read is not what is in it.
bool StressTeam::walk(unsigned thread, unsigned block_number) {
  const stress::Block used = block(block_number);
  const std::size_t pages = used.words.size() / used.page_words;
  bool right = true;
  for (std::size_t first = 0; first < pages; first += pages_per_look) {
    const std::size_t count = std::min(pages_per_look, pages - first);
    if (report_.plan.options.writes) {
      stress::add_to_pages(used, first, count);
    } else {
      right &= stress::read_pages(used, first, count) == stress::expected_sum(used, first, count);
    }
    CpuId cpu;
    NodeId node;
    if (os_.getcpu(cpu, node) == 0) {
      workers_[thread].node.store(node.value(), std::memory_order_relaxed);
    }
  }
  return right;
}

void StressTeam::work(unsigned thread) {
  Worker& self = workers_[thread];
  const std::optional<std::uint64_t> wanted = report_.plan.options.cycles;
  do {
    for (unsigned number : report_.plan.blocks_of_thread[thread]) {
      if (!walk(thread, number)) self.read_wrong = true;
    }
    self.cycles += 1;
  } while (wanted ? self.cycles < *wanted : !stop_);
  eventfd_write(done_event_, 1);
}

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

Result<void> StressTeam::run() {
  if (done_event_ < 0) {
    return failed("cannot make an event", "raise the limit of open files (ulimit -n)", errno);
  }
  workloads::map::Job job;
  job.threads = static_cast<unsigned>(workers_.size()) + 1;
  job.passes = 1;
  job.prepare = [this](unsigned rank) {
    return rank == 0 ? prepare_watcher() : prepare_worker(rank - 1);
  };
  job.pass = [this](unsigned rank) { rank == 0 ? watch() : work(rank - 1); };
  job.finish = [](unsigned) {};
  const auto outcome = workloads::map::run_with_pthreads(job);
  if (outcome.start_errno != 0) {
    return failed(fmt::format("cannot start {} threads", job.threads),
                  "give fewer --threads-per-node, or raise the limit (ulimit -u, pids.max)",
                  outcome.start_errno);
  }
  if (error_) return Unexpected(*error_);
  report_.modelled_s = os::modelled_seconds(workloads::timed_part_slot);
  for (const Worker& worker : workers_) report_.cycles.push_back(worker.cycles);
  return {};
}

Result<void> StressTeam::check_content() const {
  const auto users = stress::users_of_blocks(report_.plan.blocks_of_thread);
  for (unsigned number = 0; number < workers_.size(); ++number) {
    std::uint64_t additions = 0;
    for (unsigned user : users[number]) {
      additions += report_.plan.options.writes ? workers_[user].cycles : 0;
    }
    const std::size_t wrong = stress::wrong_words(block(number), additions);
    if (wrong > 0 || workers_[number].read_wrong) {
      return failed(fmt::format("not verified: block {} holds {} wrong words, and its thread read "
                                "{} values",
                                number, wrong, workers_[number].read_wrong ? "wrong" : "right"),
                    "memory was changed from outside while it was moved; see the kernel's log");
    }
  }
  return {};
}

}  // namespace homenode::trial
