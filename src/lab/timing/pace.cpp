#include "lab/timing/pace.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace homenode::lab {

namespace {

// Before a thread of the host sleeps. One that yields is back after 1 to 3 us, one that slept after
// 10, on a virtual machine of two CPUs: with 16 vCPUs there, each epoch took three times as long.
constexpr unsigned yields = 20;

}  // namespace

Pace::Pace(unsigned vcpus, std::uint64_t epoch_ps, std::chrono::milliseconds patience,
           CpuTime cpu_time)
    : epoch_ps_(epoch_ps),
      patience_(patience),
      threads_(vcpus),
      cpu_time_(std::move(cpu_time)),
      vcpus_(vcpus) {
  if (!cpu_time_) cpu_time_ = [this](unsigned vcpu) { return threads_.cpu_time(vcpu); };
}

void Pace::open() {
  const std::lock_guard lock(mutex_);
  std::ranges::fill(vcpus_, Vcpu{});
  epoch_ = left_ps_ = late_waits_ = 0;
  running_ = waiting_ = expected_ = 0;
  released_ = false;
}

void Pace::become(Vcpu& vcpu, State state, std::uint64_t clock_ps) {
  vcpu.state = state;
  vcpu.clock_ps = clock_ps;
}

bool Pace::is_in_step(const Vcpu& vcpu) {
  return vcpu.state == State::running || vcpu.state == State::waiting ||
         vcpu.state == State::left_behind;
}

/// pre: locked.
std::uint64_t Pace::reached() const {
  if (running_ + waiting_ == 0) return left_ps_;
  std::uint64_t earliest_ps = std::numeric_limits<std::uint64_t>::max();
  for (const Vcpu& vcpu : vcpus_) {
    if (vcpu.state == State::running || vcpu.state == State::waiting) {
      earliest_ps = std::min(earliest_ps, vcpu.clock_ps);
    }
  }
  // One that was left behind may be far back; the others have reached this epoch.
  return std::max(earliest_ps, epoch_ * epoch_ps_);
}

std::uint64_t Pace::reached_ps() const {
  const std::lock_guard lock(mutex_);
  return reached();
}

std::uint64_t Pace::enter(unsigned vcpu, std::uint64_t now_ps,
                          std::optional<std::uint64_t> ready_ps) {
  const std::lock_guard lock(mutex_);
  Vcpu& entering = vcpus_[vcpu];
  if (is_in_step(entering)) return now_ps;
  if (entering.state == State::expected) --expected_;
  const std::uint64_t start_ps = std::max(now_ps, ready_ps.value_or(reached()));
  if (running_ + waiting_ + expected_ == 0) epoch_ = start_ps / epoch_ps_;
  become(entering, State::running, start_ps);
  ++running_;
  return start_ps;
}

void Pace::expect(unsigned vcpu, std::uint64_t time_ps) {
  const std::lock_guard lock(mutex_);
  if (released_ || vcpus_[vcpu].state != State::idle) return;
  become(vcpus_[vcpu], State::expected, time_ps);
  ++expected_;
}

void Pace::leave(unsigned vcpu, std::uint64_t now_ps, bool busy) {
  const std::lock_guard lock(mutex_);
  Vcpu& leaving = vcpus_[vcpu];
  if (leaving.state == State::running) --running_;
  if (leaving.state == State::expected) --expected_;
  if (is_in_step(leaving)) left_ps_ = std::max(left_ps_, now_ps);
  become(leaving, busy ? State::busy : State::idle, now_ps);
  move_on();
}

void Pace::let_go(Vcpu& vcpu) {
  vcpu.state = State::running;
  ++running_;
  --waiting_;
}

bool Pace::somebody_moves() const {
  return running_ > 0 && std::ranges::any_of(vcpus_, [](const Vcpu& vcpu) {
           return vcpu.state == State::running && !vcpu.interrupted;
         });
}

void Pace::interrupt(unsigned vcpu, bool interrupted) {
  const std::lock_guard lock(mutex_);
  vcpus_[vcpu].interrupted = interrupted;
  if (interrupted && vcpus_[vcpu].state == State::running) move_on();
}

/// When nobody runs in this epoch any more, the next one that somebody waits for begins.
void Pace::move_on() {
  if (waiting_ == 0 || somebody_moves()) return;
  if (const unsigned running = running_; running + expected_ > 0) {
    for (Vcpu& vcpu : vcpus_) {
      if (vcpu.state == State::waiting && vcpu.in_kernel) let_go(vcpu);
    }
    if (running_ > running) wake_all();
    return;
  }
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  for (const Vcpu& vcpu : vcpus_) {
    if (vcpu.state == State::waiting) next = std::min(next, vcpu.target);
  }
  epoch_ = next;
  for (Vcpu& vcpu : vcpus_) {
    if (vcpu.state != State::waiting || vcpu.target > epoch_) continue;
    let_go(vcpu);
  }
  wake_all();
}

Pace::CpuTimes Pace::cpu_times() const {
  CpuTimes times(vcpus_.size());
  for (unsigned i = 0; i < times.size(); ++i) times[i] = cpu_time_(i);
  return times;
}

/// Its thread runs, but for less than half of the time: `before` is half of the patience ago.
bool Pace::is_starved(unsigned vcpu, const CpuTimes& before) const {
  if (!before[vcpu]) return false;
  const auto now = cpu_time_(vcpu);
  if (!now) return false;
  const auto ran = *now - *before[vcpu];
  return ran > std::chrono::nanoseconds(0) && ran < patience_ / 4;
}

void Pace::leave_behind(const CpuTimes& before, bool starved_too) {
  for (unsigned i = 0; i < vcpus_.size(); ++i) {
    Vcpu& vcpu = vcpus_[i];
    const bool runs = vcpu.state == State::running;
    if ((!runs && vcpu.state != State::expected) || (!starved_too && is_starved(i, before))) {
      continue;
    }
    vcpu.state = runs ? State::left_behind : State::idle;
    if (runs) {
      --running_;
    } else {
      --expected_;
    }
    ++late_waits_;
  }
  move_on();
}

std::uint64_t Pace::advance(unsigned vcpu, std::uint64_t now_ps, bool in_kernel) {
  std::unique_lock lock(mutex_);
  Vcpu& self = vcpus_[vcpu];
  self.clock_ps = now_ps;
  const auto limit = [&] { return (now_ps / epoch_ps_ + 1) * epoch_ps_; };
  if (released_ || !is_in_step(self)) return limit();
  if (self.state == State::left_behind) {
    self.state = State::running;
    ++running_;
  }
  if (now_ps / epoch_ps_ <= epoch_) return limit();
  self.target = now_ps / epoch_ps_;
  self.state = State::waiting;
  self.in_kernel = in_kernel;
  --running_;
  ++waiting_;
  move_on();
  wait_for_others(lock, self);
  if (self.state == State::waiting) let_go(self);
  // One that was let go before its time asks again as soon as it holds no lock any more.
  return released_ || self.target <= epoch_ ? limit() : now_ps;
}

void Pace::wake_all() {
  ++moves_;
  moved_.notify_all();
}

void Pace::give_way(std::unique_lock<std::mutex>& lock) const {
  const std::uint64_t seen = moves_;
  lock.unlock();
  for (unsigned i = 0; i < yields && moves_ == seen; ++i) std::this_thread::yield();
  lock.lock();
}

void Pace::wait_for_others(std::unique_lock<std::mutex>& lock, const Vcpu& self) {
  unsigned without_move = 0;
  while (self.state == State::waiting && !released_) {
    give_way(lock);
    const std::uint64_t seen = epoch_;
    const auto is_over = [&] {
      return self.state != State::waiting || released_ || epoch_ != seen;
    };
    std::optional<CpuTimes> half_ago;
    if (!moved_.wait_for(lock, patience_ / 2, is_over)) half_ago = cpu_times();
    if (half_ago && !moved_.wait_for(lock, patience_ / 2, is_over)) {
      leave_behind(*half_ago, ++without_move >= patience_with_starved);
    } else {
      without_move = 0;
    }
  }
}

void Pace::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  wake_all();
}

std::uint64_t Pace::late_waits() const {
  const std::lock_guard lock(mutex_);
  return late_waits_;
}

}  // namespace homenode::lab
