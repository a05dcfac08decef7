#include "trial/stress/team.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "placement/policies/policy.h"
#include "workloads/map/team.h"

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
    workers_[thread].thread = static_cast<pid_t>(syscall(SYS_gettid));
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
