#include "agent/pkeys/window.h"

#include <sys/mman.h>

#include <ctime>

#include "agent/pkeys/entry.h"

namespace homenode::agent::pkeys {
namespace {

constinit Window window;
constinit Run run;
constinit Atomic<bool> held;

}  // namespace

Window& the_window() {
  return window;
}

Run& the_run() {
  return run;
}

WindowLock::WindowLock() {
  while (held.exchange_acquire(true)) kernel_call(SYS_sched_yield);
}

WindowLock::~WindowLock() {
  held.store_release(false);
}

void close_window() {
  if (window.phase.load_acquire() == Phase::armed) {
    const std::size_t count = window.range_count.load_relaxed();
    for (std::size_t i = 0; i < count; ++i) {
      const ArmedRange& range = window.ranges[i];
      kernel_call(SYS_pkey_mprotect, range.first, range.end - range.first, PROT_READ | PROT_WRITE,
                  0);
    }
    window.ended_ns.store_relaxed(now_ns());
  }
  window.phase.store_release(Phase::closed);
}

bool is_running() {
  return run.active.load_acquire() && run.pid.load_relaxed() == kernel_call(SYS_getpid);
}

void refuse(const char* why) {
  const char* none = nullptr;
  run.refusal.replace_release(none, why);
  run.ending.store_release(true);
}

std::uint64_t now_ns() {
  timespec time{};
  kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace homenode::agent::pkeys
