#include "measure/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <system_error>

#include "actuation/refusal.h"
#include "base/marker.h"

namespace homenode::measure {
namespace {

/// Looks at the others this often before it lets another thread have the CPU.
constexpr unsigned patient_looks = 2000;

}  // namespace

Result<std::unique_ptr<Team>> Team::start(os::Os& os, std::vector<CpuId> cpus) {
  assert(!cpus.empty());
  std::unique_ptr<Team> team(new Team(std::move(cpus)));
  const std::size_t count = team->cpus_.size();
  team->binding_errors_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) team->members_.push_back(std::make_unique<Member>());
  for (std::size_t i = 0; i < count; ++i) {
    try {
      team->members_[i]->thread = std::thread([i, self = team.get()] { self->live(i); });
    } catch (const std::system_error& error) {
      return failed(fmt::format("cannot start {} threads", count),
                    "raise the limit (ulimit -u, pids.max), or choose fewer nodes with --from",
                    error.code().value());
    }
  }
  std::vector<std::size_t> everybody(count);
  std::iota(everybody.begin(), everybody.end(), 0);
  team->run(everybody, [&](std::size_t place) {
    team->binding_errors_[place] = os.sched_setaffinity(0, CpuSet{team->cpus_[place]});
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (team->binding_errors_[i] >= 0) continue;
    const CpuId cpu = team->cpus_[i];
    return actuation::refusal(
        os,
        {.call = actuation::Call::sched_setaffinity,
         .tried = fmt::format("cannot bind a thread to the CPU {}", cpu.value()),
         .cpus = CpuSet{cpu}},
        team->binding_errors_[i]);
  }
  return team;
}

Team::~Team() {
  task_ = nullptr;
  for (const auto& member : members_) {
    if (!member->thread.joinable()) continue;
    member->turn.fetch_add(1, std::memory_order_release);
    member->turn.notify_one();
    member->thread.join();
  }
}

std::size_t Team::member_on(CpuId cpu) const {
  const auto found = std::find(cpus_.begin(), cpus_.end(), cpu);
  assert(found != cpus_.end());
  return static_cast<std::size_t>(found - cpus_.begin());
}

void Team::run(std::span<const std::size_t> members, const Task& task) {
  assert(!members.empty());
  task_ = &task;
  expected_ = static_cast<std::uint32_t>(members.size());
  arrived_.store(0, std::memory_order_relaxed);
  working_.store(expected_, std::memory_order_relaxed);
  for (std::size_t place = 0; place < members.size(); ++place) {
    Member& member = *members_[members[place]];
    member.place = place;
    member.turn.fetch_add(1, std::memory_order_release);
    member.turn.notify_one();
  }
  for (std::uint32_t left = expected_; left > 0; left = working_.load(std::memory_order_acquire)) {
    working_.wait(left, std::memory_order_acquire);
  }
}

void Team::live(std::size_t index) {
  hn_marker_thread(index);
  Member& self = *members_[index];
  for (std::uint32_t turn = 0;; ++turn) {
    self.turn.wait(turn, std::memory_order_acquire);
    if (task_ == nullptr) return;
    const Task& task = *task_;
    meet();
    task(self.place);
    // The runner sleeps until the last: waking it earlier would disturb those that still work.
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

void Team::meet() {
  arrived_.fetch_add(1, std::memory_order_acq_rel);
  unsigned looks = 0;
  while (arrived_.load(std::memory_order_acquire) < expected_) {
    if (++looks < patient_looks) continue;
    looks = 0;
    std::this_thread::yield();
  }
}

}  // namespace homenode::measure
