#include "lab/timing/pace.h"

#include <algorithm>
#include <limits>

namespace homenode::lab {

Pace::Pace(unsigned vcpus, std::uint64_t epoch_ps, std::chrono::milliseconds patience)
    : epoch_ps_(epoch_ps), patience_(patience), vcpus_(vcpus) {}

void Pace::open() {
  const std::lock_guard lock(mutex_);
  std::ranges::fill(vcpus_, Vcpu{});
  epoch_ = reached_ps_ = late_waits_ = 0;
  running_ = waiting_ = 0;
  released_ = false;
}

std::uint64_t Pace::enter(unsigned vcpu, std::uint64_t now_ps) {
  const std::lock_guard lock(mutex_);
  Vcpu& entering = vcpus_[vcpu];
  if (entering.state != State::away) return now_ps;
  std::uint64_t earliest_ps = std::numeric_limits<std::uint64_t>::max();
  for (const Vcpu& other : vcpus_) {
    if (other.state == State::running || other.state == State::waiting) {
      earliest_ps = std::min(earliest_ps, other.clock_ps);
    }
  }
  const bool alone = running_ + waiting_ == 0;
  // One that was left behind may be far back; the others have reached this epoch.
  const std::uint64_t others_ps = std::max(earliest_ps, epoch_ * epoch_ps_);
  const std::uint64_t start_ps = std::max(now_ps, alone ? reached_ps_ : others_ps);
  if (alone) epoch_ = start_ps / epoch_ps_;
  entering = {State::running, start_ps, 0};
  ++running_;
  return start_ps;
}

void Pace::leave(unsigned vcpu, std::uint64_t now_ps) {
  const std::lock_guard lock(mutex_);
  Vcpu& leaving = vcpus_[vcpu];
  if (leaving.state == State::running) --running_;
  if (leaving.state == State::away) return;
  leaving = {State::away, now_ps, 0};
  reached_ps_ = std::max(reached_ps_, now_ps);
  move_on();
}

/// When nobody runs in this epoch any more, the next one that somebody waits for begins.
void Pace::move_on() {
  if (running_ > 0 || waiting_ == 0) return;
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  for (const Vcpu& vcpu : vcpus_) {
    if (vcpu.state == State::waiting) next = std::min(next, vcpu.target);
  }
  epoch_ = next;
  for (Vcpu& vcpu : vcpus_) {
    if (vcpu.state != State::waiting || vcpu.target > epoch_) continue;
    vcpu.state = State::running;
    ++running_;
    --waiting_;
  }
  moved_.notify_all();
}

void Pace::leave_behind() {
  for (Vcpu& vcpu : vcpus_) {
    if (vcpu.state == State::running) vcpu.state = State::left_behind;
  }
  late_waits_ += running_;
  running_ = 0;
  move_on();
}

std::uint64_t Pace::advance(unsigned vcpu, std::uint64_t now_ps) {
  std::unique_lock lock(mutex_);
  Vcpu& self = vcpus_[vcpu];
  self.clock_ps = now_ps;
  const auto limit = [&] { return (now_ps / epoch_ps_ + 1) * epoch_ps_; };
  if (released_ || self.state == State::away) return limit();
  if (self.state == State::left_behind) {
    self.state = State::running;
    ++running_;
  }
  if (now_ps / epoch_ps_ <= epoch_) return limit();
  self.target = now_ps / epoch_ps_;
  self.state = State::waiting;
  --running_;
  ++waiting_;
  move_on();
  while (self.state == State::waiting && !released_) {
    const std::uint64_t seen = epoch_;
    moved_.wait_for(lock, patience_,
                    [&] { return self.state != State::waiting || released_ || epoch_ != seen; });
    if (self.state == State::waiting && !released_ && epoch_ == seen) leave_behind();
  }
  if (self.state == State::waiting) {
    self.state = State::running;
    --waiting_;
    ++running_;
  }
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
