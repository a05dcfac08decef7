#include "lab/timing/timed_vcpu.h"

#include <algorithm>

namespace homenode::lab {

void TimedVcpu::record(Timeline::Track& track) {
  track_ = &track;
  core_.on_step([](void* self) { static_cast<TimedVcpu*>(self)->step(); }, this);
}

void TimedVcpu::open(const Region& region, const ThreadKey& thread, std::uint64_t* instructions) {
  core_.open(instructions);
  region_ = region;
  running_ = suspended_ = in_kernel_ = false;
  task_ = 0;
  next_.reset();
  stopping_.reset();
  spin_rounds_.forget();
  call_ = {};
  account_ = nullptr;
  interrupts_ = faults_in_kernel_ = woken_by_call_ = 0;
  credited_ps_ = credited_instructions_ = credited_stall_ps_ = 0;
  credited_stalls_ps_.assign(core_.stalls_ps().size(), 0);
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

/// Gives the time since the last call to the thread that has run, as spent on `activity`.
void TimedVcpu::credit(Activity activity) {
  if (!running_) return;
  const std::uint64_t now_ps = core_.now_ps(true);
  const CoreCounts& counts = core_.counts();
  ThreadTime& time = *account_;
  time.last_ps = now_ps;
  const std::uint64_t busy_ps = counts.busy_ps - credited_ps_;
  if (busy_ps == 0) return;
  const std::uint64_t stall_ps = counts.stall_ps - credited_stall_ps_;
  time.busy_ps += busy_ps;
  time.instructions += counts.instructions - credited_instructions_;
  if (activity == Activity::kernel) time.kernel_ps += busy_ps;
  if (activity == Activity::spinning) time.spun_ps += busy_ps;
  if (stall_ps > 0) {
    if (activity == Activity::user) time.stall(credited_stalls_ps_, core_.stalls_ps());
    std::ranges::copy(core_.stalls_ps(), credited_stalls_ps_.begin());
  }
  if (track_ != nullptr) {
    track_->add(
        {thread_, activity, now_ps - busy_ps, now_ps, activity == Activity::user ? stall_ps : 0});
  }
  credited_ps_ = counts.busy_ps;
  credited_instructions_ = counts.instructions;
  credited_stall_ps_ = counts.stall_ps;
}

void TimedVcpu::switch_task(Task previous, Task next) {
  if (!region_) return;
  task_ = next;
  if (running_) {
    credit();
    const bool able = interrupts_ > 0 || call_.number == SystemCall::yield;
    stopping_ = {previous, {core_.now_ps(true), thread_, call_, able}};
    wakeups_.stop(previous, stopping_->second);
  }
  next_ = wakeups_.go_on(next);
}

void TimedVcpu::switch_to(const ThreadKey& thread) {
  if (!region_) return;
  credit();
  finish_stop();
  if (thread.cr3 != thread_.cr3) core_.forget_translations();
  thread_ = thread;
  // Linux's own threads, the idle one among them, have no thread pointer.
  const bool runs = region_->includes(thread.cr3) && thread.fs_base != 0;
  // Linux's housekeeping comes by the host's clock. What it delays goes on from where it was, so
  // the others have to wait for it instead of running ahead.
  const bool delays = running_ && (interrupts_ > 0 || thread.fs_base == 0);
  suspended_ = !runs && (suspended_ || delays) && !is_idle();
  running_ = false;  // Nothing is credited until the thread has its account.
  core_.run(runs || suspended_, runs && next_ ? next_->ready_ps : std::nullopt);
  core_.charge(runs);
  interrupts_ = 0;
  if (!core_.is_running() && thread.fs_base != 0) core_.stay_away(true);
  if (runs) take_up(thread);
}

/// Whoever stops has paid for the switch, too.
void TimedVcpu::finish_stop() {
  if (!stopping_) return;
  stopping_->second.time_ps = core_.now_ps(true);
  wakeups_.stop(stopping_->first, stopping_->second);
  stopping_.reset();
}

bool TimedVcpu::is_idle() const {
  return task_ != 0 && task_ == idle_task_;
}

/// The thread goes on, with the account that it has here.
void TimedVcpu::take_up(const ThreadKey& thread) {
  const std::uint64_t now_ps = core_.now_ps(true);
  const auto [found, fresh] = threads_.try_emplace(thread);
  account_ = &found->second;
  if (fresh) account_->first_ps = account_->last_ps = now_ps;
  running_ = true;
  spin_rounds_.forget();
  if (!next_) return;
  // Where it has run before and its stop is not known, a thread of the kernel's had its registers.
  if (fresh || next_->stop) count_wait(now_ps);
  in_kernel_ = true;
  faults_in_kernel_ = woken_by_call_ = 0;
  call_ = next_->stop ? next_->stop->call : SystemCall{};
  next_.reset();
}

/// Tells sleep from the wait for a CPU, for the thread that goes on.
void TimedVcpu::count_wait(std::uint64_t now_ps) {
  if (next_->is_new) return;
  // One that has not run yet slept when the region began, or could have run where nobody woke it.
  const std::uint64_t since_ps = next_->stop ? next_->stop->time_ps : 0;
  const std::uint64_t ready_ps =
      next_->wake ? std::clamp(next_->ready_ps.value_or(0), since_ps, now_ps) : since_ps;
  if (ready_ps > since_ps) {
    account_->sleep(next_->stop ? next_->stop->call : SystemCall{}, ready_ps - since_ps,
                    &*next_->wake);
  }
  account_->ready_ps += now_ps - ready_ps;
  if (track_ == nullptr) return;
  if (next_->wake) {
    track_->add({thread_, Activity::sleeping, since_ps, ready_ps, 0, next_->wake->time_ps,
                 next_->wake->by});
  }
  track_->add({thread_, Activity::ready, ready_ps, now_ps});
}

void TimedVcpu::halt() {
  if (!region_ || running_) return;
  if (task_ != 0) idle_task_ = task_;
  suspended_ = false;
  core_.run(false);
  core_.stay_away(false);
}

void TimedVcpu::enter_interrupt() {
  ++interrupts_;
  core_.charge(false);
}

void TimedVcpu::leave_interrupt() {
  if (interrupts_ > 0) {
    --interrupts_;
  } else if (faults_in_kernel_ > 0) {
    --faults_in_kernel_;
  } else {
    leave_kernel();
  }
  core_.charge(interrupts_ == 0 && !suspended_);
}

void TimedVcpu::leave_system_call() {
  interrupts_ = faults_in_kernel_ = 0;
  leave_kernel();
  core_.charge(!suspended_);
}

void TimedVcpu::enter_kernel(const SystemCall& call) {
  if (!running_) return;
  (void)settle();
  in_kernel_ = true;
  faults_in_kernel_ = woken_by_call_ = 0;
  call_ = call;
}

void TimedVcpu::leave_kernel() {
  if (!in_kernel_) return;
  (void)settle();
  in_kernel_ = false;
  call_ = {};
}

void TimedVcpu::enter_system_call(std::uint64_t number) {
  enter_kernel({number});
}

void TimedVcpu::use_futex(std::uint64_t address, std::uint64_t operation) {
  // The kernel wakes up by a futex those who wait for a thread's end, too.
  if (call_.number == SystemCall::futex) call_ = {SystemCall::futex, address, operation};
}

void TimedVcpu::enter_fault() {
  if (interrupts_ > 0) return;
  if (in_kernel_) {
    ++faults_in_kernel_;
  } else {
    enter_kernel({});
  }
}

void TimedVcpu::spin() {
  if (!running_ || in_kernel_) return;
  (void)core_.now_ps();
  const bool ends_round = spin_rounds_.arrive(core_.counts().instructions);
  credit(ends_round ? Activity::spinning : Activity::user);
}

Wake TimedVcpu::wake(std::uint64_t time_ps) {
  if (!running_ || interrupts_ > 0) return {time_ps, std::nullopt, 1};
  return {time_ps, thread_, ++woken_by_call_};
}

/// Cuts what is recorded of user code, unless the thread is in the middle of a round of a spin.
void TimedVcpu::step() {
  if (!running_ || in_kernel_) return;
  if (spin_rounds_.is_under_way(core_.counts().instructions)) return;
  credit(Activity::user);
}

}  // namespace homenode::lab
