#include "agent/pkeys/cost.h"

#include <linux/prctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

// The least of several measurements: a hypervisor's pauses count as processor time.
constexpr std::uint64_t measurements = 4;
constexpr std::uint64_t rounds = 8;
/// Spent before the first window without being asked for.
constexpr std::uint64_t advance_ns = 2'000'000;

std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  kernel_call(SYS_clock_gettime, clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

template <class Round>
std::uint64_t least_time_of(Round round) {
  std::uint64_t least_ns = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < measurements; ++i) {
    const std::uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (std::uint64_t j = 0; j < rounds; ++j) round();
    const std::uint64_t time_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    least_ns = time_ns < least_ns ? time_ns : least_ns;
  }
  return least_ns / rounds;
}

std::uint64_t measure_fault(int key) {
  const long memory = kernel_call(SYS_mmap, 0, page_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (is_error(memory)) return 0;
  auto* const byte = reinterpret_cast<volatile char*>(memory);  // NOLINT(performance-no-int-to-ptr)
  kernel_call(SYS_pkey_mprotect, memory, page_bytes, PROT_READ | PROT_WRITE, key);
  const std::uint64_t least_ns = least_time_of([&] {
    set_rights(denied_rights);
    *byte = 1;
  });
  kernel_call(SYS_munmap, memory, page_bytes);
  return least_ns;
}

std::uint64_t measure_call() {
  static constinit Thread self;
  adopt(&self);
  const long length = hn_pkeys_end - hn_pkeys_first;
  kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, hn_pkeys_first, length,
              self.selector.address());
  const std::uint64_t least_ns = least_time_of([&] {
    self.selector.store_release(1);
    (void)getppid();  // By libc, so it is dispatched.
  });
  kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
  adopt(nullptr);
  return least_ns;
}

}  // namespace

void Cost::calibrate(std::uint64_t budget_ppm, int key) {
  budget_ppm_ = budget_ppm;
  const std::uint64_t all_but_ours =
      ~(std::uint64_t{1} << (SIGSEGV - 1) | std::uint64_t{1} << (SIGSYS - 1));
  kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &all_but_ours, nullptr, sizeof all_but_ours);
  fault_ns_ = measure_fault(key);
  call_ns_ = measure_call();
  the_run().faults.store_relaxed(0);
  the_run().dispatches.store_relaxed(0);
  looked_ns_ = now_ns();
  program_then_ns_ = program_ns();
}

std::uint64_t Cost::sampler_ns() const {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t Cost::program_ns() const {
  const std::uint64_t all = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const std::uint64_t own = sampler_ns();
  return all > own ? all - own : 0;
}

std::uint64_t Cost::faults_ns() const {
  return the_run().faults.load_relaxed() * fault_ns_ +
         the_run().dispatches.load_relaxed() * call_ns_;
}

// To wake up costs a hundredth of a window: to wake up for nothing, again and again, would spend
// the budget. So it sleeps until the program, if it goes on as since the last look, has used so
// much that another window fits.
std::uint64_t Cost::pause_ns() {
  constexpr std::uint64_t million = 1'000'000;
  constexpr std::uint64_t longest_ns = 250'000'000;
  constexpr std::uint64_t shortest_ns = 1'000'000;
  const std::uint64_t now = now_ns();
  const std::uint64_t program = program_ns();
  const std::uint64_t passed = now - looked_ns_;
  const std::uint64_t used = program - program_then_ns_;
  looked_ns_ = now;
  program_then_ns_ = program;
  before_ns_ = spent_ns();
  const std::uint64_t wanted = before_ns_ + window_ns_;
  const std::uint64_t may = program / million * budget_ppm_ + advance_ns;
  if (wanted <= may) return 0;
  if (budget_ppm_ == 0 || used == 0) return longest_ns;
  const std::uint64_t more = (wanted - may) * million / budget_ppm_;
  const std::uint64_t pause = static_cast<std::uint64_t>(
      static_cast<double>(more) * static_cast<double>(passed) / static_cast<double>(used));
  return pause < shortest_ns ? shortest_ns : pause > longest_ns ? longest_ns : pause;
}

void Cost::end_window() {
  const std::uint64_t cost = spent_ns() - before_ns_;
  window_ns_ = window_ns_ == 0 ? cost : (3 * window_ns_ + cost) / 4;
}

std::uint64_t Cost::spent_ns() const {
  return sampler_ns() + faults_ns();
}

}  // namespace homenode::agent::pkeys
