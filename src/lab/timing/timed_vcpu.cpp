#include "lab/timing/timed_vcpu.h"

namespace homenode::lab {

void TimedVcpu::open(const Region& region, const ThreadKey& thread, std::uint64_t* instructions) {
  core_.open(instructions);
  region_ = region;
  running_ = suspended_ = false;
  ready_ps_.reset();
  interrupts_ = 0;
  credited_ps_ = credited_instructions_ = 0;
  threads_.clear();
  switch_to(thread);
}

void TimedVcpu::close() {
  if (!region_) return;
  credit();
  running_ = suspended_ = false;
  core_.run(false);
  region_.reset();
}

std::uint64_t TimedVcpu::settle() {
  const std::uint64_t now_ps = core_.now_ps();
  credit();
  return now_ps;
}

/// Gives the time since the last call to the thread that has run.
void TimedVcpu::credit() {
  if (!running_) return;
  const std::uint64_t now_ps = core_.now_ps(true);
  const CoreCounts& counts = core_.counts();
  ThreadTime& time = threads_[thread_];
  time.busy_ps += counts.busy_ps - credited_ps_;
  time.instructions += counts.instructions - credited_instructions_;
  time.last_ps = now_ps;
  credited_ps_ = counts.busy_ps;
  credited_instructions_ = counts.instructions;
}

void TimedVcpu::switch_task(Task previous, Task next) {
  if (!region_) return;
  if (running_) wakeups_.not_before(previous, core_.now_ps(true));
  ready_ps_ = wakeups_.ready_ps(next);
}

void TimedVcpu::switch_to(const ThreadKey& thread) {
  if (!region_) return;
  credit();
  if (thread.cr3 != thread_.cr3) core_.forget_translations();
  thread_ = thread;
  const bool was_running = running_;
  // Linux's own threads, the idle one among them, have no thread pointer.
  running_ = region_->includes(thread.cr3) && thread.fs_base != 0;
  // Linux's housekeeping comes by the host's clock. The thread that it interrupts will go on from
  // where it was, so the others have to wait for it instead of running ahead.
  suspended_ = !running_ && (suspended_ || (was_running && interrupts_ > 0));
  core_.run(running_ || suspended_, running_ ? ready_ps_ : std::nullopt);
  core_.charge(running_);
  interrupts_ = 0;
  if (!core_.is_running() && thread.fs_base != 0) core_.stay_away(true);
  if (!running_) return;
  ready_ps_.reset();
  const std::uint64_t now_ps = core_.now_ps(true);
  threads_.try_emplace(thread, ThreadTime{0, now_ps, now_ps, 0});
}

void TimedVcpu::halt() {
  if (!region_ || running_) return;
  suspended_ = false;
  core_.run(false);
  core_.stay_away(false);
}

void TimedVcpu::enter_interrupt() {
  ++interrupts_;
  core_.charge(false);
}

void TimedVcpu::leave_interrupt() {
  if (interrupts_ > 0) --interrupts_;
  core_.charge(interrupts_ == 0 && !suspended_);
}

void TimedVcpu::leave_system_call() {
  interrupts_ = 0;
  core_.charge(!suspended_);
}

}  // namespace homenode::lab
