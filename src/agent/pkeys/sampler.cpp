#include "agent/pkeys/sampler.h"

#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <ctime>

#include "agent/calls.h"
#include "agent/pkeys/account.h"
#include "agent/pkeys/cost.h"
#include "agent/pkeys/entry.h"
#include "agent/pkeys/handlers.h"
#include "agent/pkeys/keys.h"
#include "agent/pkeys/opening.h"
#include "agent/sample_output.h"

namespace homenode::agent::pkeys {
namespace {

constinit SampleOutput output;
constinit Settings settings;
constinit Account account;
constinit Cost cost;
constinit Atomic<std::uint32_t> bell;  ///< Rung to end a pause.
constinit Atomic<std::uint32_t> done;  ///< 1 once the thread has ended its work.
constinit bool started = false;

/// Returns early when the bell is rung.
void pause_for(std::uint64_t nanoseconds) {
  const timespec time{static_cast<time_t>(nanoseconds / 1'000'000'000U),
                      static_cast<long>(nanoseconds % 1'000'000'000U)};
  if (bell.load_acquire() == 0) {
    kernel_call(SYS_futex, bell.address(), FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
  }
}

bool is_ending() {
  return the_run().ending.load_acquire();
}

bool watched_process_ended() {
  return settings.watch != 0 && kernel_call(SYS_kill, settings.watch, 0) == -ESRCH;
}

/// Whether each watched thread that ran when the window opened has touched a page of each key;
/// false where all of them waited.
bool all_have_touched(std::uint32_t number) {
  const auto keys = static_cast<int>(the_window().keys.load_relaxed());
  bool any = false;
  for (std::size_t i = 0; i < thread_places(); ++i) {
    const Thread& thread = all_threads()[i];
    if (thread.presence.load_acquire() != Presence::watched) continue;
    const bool touched = thread.touched_window.load_acquire() == number &&
                         std::popcount(thread.allowed_keys.load_relaxed()) >= keys;
    if (!touched && !thread.waits) return false;
    any = any || touched;
  }
  return any;
}

/// A server's calls cost more than twice the time while they are dispatched, and who waits for its
/// answers shall not notice: a window ends after so many, and the next one is so far away that
/// those who had to wait are fewer than one in a hundred.
constexpr std::uint64_t most_calls = 32;
constexpr std::uint64_t servers_pause_ns = 150'000'000;

/// False where the window ends for the calls that the program makes.
bool wait_for_touches() {
  const Window& window = the_window();
  const std::uint64_t calls = the_run().dispatches.load_relaxed();
  const std::uint64_t limit_ns = settings.window_us * 1000;
  const std::uint64_t end = window.armed_ns.load_relaxed() + limit_ns;
  while (window.phase.load_acquire() == Phase::armed && now_ns() < end && !is_ending()) {
    if (all_have_touched(window.number.load_relaxed())) break;
    if (the_run().dispatches.load_relaxed() - calls > most_calls) return false;
    pause_for(limit_ns / 8 + 1000);
  }
  return true;
}

void write_samples() {
  static constinit Sample batch[256];
  std::size_t count = 0;
  while (the_ring().take(batch[count])) {
    if (++count < sizeof batch / sizeof *batch) continue;
    account.samples += count;
    output.append_samples(batch, count);
    count = 0;
  }
  account.samples += count;
  if (count > 0) output.append_samples(batch, count);
}

/// One window, from its opening to its samples in the file; gives how long the next one has to wait
/// at least.
std::uint64_t sample_once(PageChoice& choice, std::uint32_t tid) {
  const std::uint64_t least_ns = settings.pause_us * 1000;
  const Opened opened = open_window(choice, tid);
  ++account.results[static_cast<std::size_t>(opened)];
  if (opened != Opened::yes) return least_ns;
  const bool may_wait = wait_for_touches();
  {
    const WindowLock lock;
    close_window();
  }
  let_calls_through();
  write_samples();
  write_round(output, the_window(), the_run());
  const bool has_bounds = settings.budget_ppm < 1'000'000;
  return may_wait || !has_bounds ? least_ns : servers_pause_ns;
}

void sample_until_end(std::uint32_t tid) {
  PageChoice choice;
  choice.pages = settings.pages;
  choice.seed = settings.seed;
  std::uint64_t last_look = 0;
  while (!is_ending()) {
    const std::uint64_t now = now_ns();
    if (now - last_look > 100'000'000) {
      last_look = now;
      if (watched_process_ended()) break;
    }
    const std::uint64_t wait_ns = cost.pause_ns();
    if (wait_ns > 0) {
      pause_for(wait_ns);
      continue;
    }
    const std::uint64_t least_ns = sample_once(choice, tid);
    cost.end_window();
    pause_for(least_ns);
  }
}

/// Open files of its own, none of the program's: what it opens takes no number that the program
/// waits for, and it keeps no pipe of the program open.
bool leave_open_files() {
  return kernel_call(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE) == 0;
}

void tell_refusal(const char* why) {
  write_refusal(output, why, kernel_call(SYS_getpid));
}

void* run_sampler(void*) {
  const auto tid = static_cast<std::uint32_t>(kernel_call(SYS_gettid));
  kernel_call(SYS_prctl, PR_SET_NAME, sampler_thread, 0, 0, 0);
  set_rights(all_rights);
  Run& run = the_run();
  if (!leave_open_files()) {
    refuse("the kernel gives the sampler no open files of its own (Linux 5.9)");
  } else if (output.open(account.file) != 0) {
    refuse("the sample file cannot be opened");
  } else {
    cost.calibrate(settings.budget_ppm, next_key());
    sample_until_end(tid);
  }
  run.active.store_release(false);
  {
    const WindowLock lock;
    close_window();
  }
  let_calls_through();
  write_samples();
  if (const char* const why = run.refusal.load_acquire()) tell_refusal(why);
  write_account(output, account, cost, the_ring().lost());
  give_keys_back();
  done.store_release(1);
  kernel_call(SYS_futex, done.address(), FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
  return nullptr;
}

}  // namespace

void start_sampler(const char* file, const Settings& wanted, const char* refusal) {
  settings = wanted;
  account.file = file;
  if (refusal != nullptr) {
    if (output.open(file) == 0) tell_refusal(refusal);
    return;
  }
  decltype(&pthread_create) create = nullptr;
  following(create, "pthread_create");
  go_away();
  {
    // It takes no signal of the program, whose handlers would then run in it.
    const SignalsHeld held;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    started = create(&thread, &attributes, &run_sampler, nullptr) == 0;
    pthread_attr_destroy(&attributes);
  }
  come_back();
  if (!started) the_run().active.store_release(false);
}

void stop_sampler() {
  if (!started || the_run().pid.load_relaxed() != kernel_call(SYS_getpid)) return;
  go_away();
  the_run().ending.store_release(true);
  bell.store_release(1);
  kernel_call(SYS_futex, bell.address(), FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
  while (done.load_acquire() == 0) {
    kernel_call(SYS_futex, done.address(), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
  come_back();
}

}  // namespace homenode::agent::pkeys
