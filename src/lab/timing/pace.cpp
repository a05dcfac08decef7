#include "lab/timing/pace.h"

#include <algorithm>
#include <limits>

namespace homenode::lab {

Pace::Pace(unsigned vcpus, std::uint64_t epoch_ps, std::chrono::milliseconds patience)
    : epoch_ps_(epoch_ps), patience_(patience), vcpus_(vcpus) {}

void Pace::open() {
  const std::lock_guard lock(mutex_);
  std::ranges::fill(vcpus_, Vcpu{});
  epoch_ = left_ps_ = late_waits_ = 0;
  running_ = waiting_ = expected_ = 0;
  released_ = false;
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
  entering = {State::running, start_ps, 0, false};
  ++running_;
  return start_ps;
}

void Pace::expect(unsigned vcpu, std::uint64_t time_ps) {
  const std::lock_guard lock(mutex_);
  if (released_ || vcpus_[vcpu].state != State::idle) return;
  vcpus_[vcpu] = {State::expected, time_ps, 0, false};
  ++expected_;
}

void Pace::leave(unsigned vcpu, std::uint64_t now_ps, bool busy) {
  const std::lock_guard lock(mutex_);
  Vcpu& leaving = vcpus_[vcpu];
  if (leaving.state == State::running) --running_;
  if (leaving.state == State::expected) --expected_;
  if (is_in_step(leaving)) left_ps_ = std::max(left_ps_, now_ps);
  leaving = {busy ? State::busy : State::idle, now_ps, 0, false};
  move_on();
}

void Pace::let_go(Vcpu& vcpu) {
  vcpu.state = State::running;
  ++running_;
  --waiting_;
}

/// When nobody runs in this epoch any more, the next one that somebody waits for begins.
void Pace::move_on() {
  if (running_ > 0 || waiting_ == 0) return;
  if (expected_ > 0) {
    for (Vcpu& vcpu : vcpus_) {
      if (vcpu.state == State::waiting && vcpu.in_kernel) let_go(vcpu);
    }
    if (running_ > 0) moved_.notify_all();
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
  moved_.notify_all();
}

void Pace::leave_behind() {
  for (Vcpu& vcpu : vcpus_) {
    if (vcpu.state == State::running) vcpu.state = State::left_behind;
    if (vcpu.state == State::expected) vcpu.state = State::idle;
  }
  late_waits_ += running_ + expected_;
  running_ = expected_ = 0;
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
  while (self.state == State::waiting && !released_) {
    const std::uint64_t seen = epoch_;
    moved_.wait_for(lock, patience_,
                    [&] { return self.state != State::waiting || released_ || epoch_ != seen; });
    if (self.state == State::waiting && !released_ && epoch_ == seen) leave_behind();
  }
  if (self.state == State::waiting) let_go(self);
  return limit();
}

void Pace::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  moved_.notify_all();
}

std::uint64_t Pace::late_waits() const {
  const std::lock_guard lock(mutex_);
  return late_waits_;
}

}  // namespace homenode::lab
