// Makes sure of each thread of the program that the kernel does not act for it.
#include "agent/pkeys/opening.h"

#include <linux/membarrier.h>

#include <ctime>

#include "agent/pkeys/calls_table.h"
#include "agent/pkeys/entry.h"
#include "agent/pkeys/process_files.h"

namespace homenode::agent::pkeys {
namespace {

/// linux/rseq.h: struct rseq_cs.
struct alignas(32) CriticalSection {
  std::uint32_t version;
  std::uint32_t flags;
  const char* first;
  std::uint64_t bytes;
  const char* abort;
};
constinit CriticalSection never = {0, 0, nullptr, 2, nullptr};
constinit TaskList tasks;
/// The selectors are set meanwhile, and each call of the program costs more.
constexpr std::uint64_t most_patience_ns = 200'000'000;

std::uint64_t section_word() {
  never.first = hn_pkeys_never + 2;
  never.abort = hn_pkeys_never;
  return reinterpret_cast<std::uint64_t>(&never);
}

Thread* find_thread(std::uint32_t tid) {
  for (std::size_t i = 0; i < thread_places(); ++i) {
    if (all_threads()[i].tid.load_acquire() == tid) return &all_threads()[i];
  }
  return nullptr;
}

template <class Take>
void for_each_watched(Take take) {
  for (std::size_t i = 0; i < thread_places(); ++i) {
    Thread& thread = all_threads()[i];
    if (thread.presence.load_acquire() == Presence::watched) take(thread);
  }
}

/// False where the program has a section of its own there.
bool put_section(Thread& thread) {
  std::uint64_t* const section = &thread.area.load_relaxed()->section;
  std::uint64_t none = 0;
  __atomic_compare_exchange_n(section, &none, section_word(), false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return none == 0 || none == section_word();
}

bool was_in_user_mode(const Thread& thread) {
  return __atomic_load_n(&thread.area.load_relaxed()->section, __ATOMIC_SEQ_CST) != section_word();
}

/// How long to wait where so many threads were not seen at once. Membarrier interrupts those that
/// run; the others are in the kernel, or wait for a CPU until those before them have had a turn.
std::uint64_t patience_for(std::size_t unseen, std::uint64_t turn_ns) {
  const std::uint64_t patience_ns = turn_ns * unseen;
  return patience_ns < most_patience_ns ? patience_ns : most_patience_ns;
}

/// Looks often at first, then ever more rarely: each reads a file for each thread not yet seen.
void pause_between_looks(std::uint64_t waited_ns) {
  constexpr std::uint64_t least_ns = 50'000;
  constexpr std::uint64_t most_ns = 1'000'000;
  std::uint64_t pause_ns = waited_ns / 8;
  if (pause_ns < least_ns) pause_ns = least_ns;
  if (pause_ns > most_ns) pause_ns = most_ns;
  const timespec some{0, static_cast<long>(pause_ns)};
  kernel_call(SYS_nanosleep, &some, nullptr);
}

/// True where the thread needs no more waiting for; `result` is then why it forbids a window.
bool is_still(Thread& thread, KeptMemory& kept, Opened& result) {
  thread.waits = false;
  if (was_in_user_mode(thread)) return true;
  const ThreadCall call = read_call(thread);
  if (call.state == ThreadCall::State::running) return false;
  if (call.state == ThreadCall::State::outside) return true;
  thread.waits = true;
  // All keys are allowed where a call was passed on.
  if (call.instruction == reinterpret_cast<std::uint64_t>(hn_pkeys_passing)) return true;
  const bool known = for_each_buffer(call.number, call.arguments, [&](AddressRange range) {
    if (!kept.add(range)) result = Opened::call_unknown;
  });
  if (!known) {
    result = Opened::call_unknown;
    the_run().unknown_call.store_relaxed(call.number);
  }
  return true;
}

/// A thread in a handler of ours blocks all signals for that short time.
bool keeps_blocking(Thread& thread) {
  constexpr int looks = 20;
  for (int i = 0; i < looks; ++i) {
    if (!blocks_signals(thread)) return false;
    const timespec some{0, 20'000};
    kernel_call(SYS_nanosleep, &some, nullptr);
  }
  return true;
}

}  // namespace

Opened check_threads(std::uint32_t sampler_tid) {
  for (std::size_t i = 0; i < thread_places(); ++i) {
    Thread& thread = all_threads()[i];
    const std::uint32_t tid = thread.tid.load_acquire();
    if (tid == 0 || thread.presence.load_acquire() == Presence::none) continue;
    if (!is_alive(tid)) forget_thread(thread);
  }
  if (!read_tasks(tasks)) return Opened::thread_unknown;
  for (std::size_t i = 0; i < tasks.count; ++i) {
    if (tasks.tids[i] == sampler_tid) continue;
    Thread* const thread = find_thread(tasks.tids[i]);
    if (thread == nullptr) return Opened::thread_unknown;
    if (thread->presence.load_acquire() != Presence::watched) return Opened::thread_away;
    if (keeps_blocking(*thread)) return Opened::signals_blocked;
  }
  return threads_away() > 0 ? Opened::thread_away : Opened::yes;
}

Opened wait_for_threads(std::uint64_t turn_ns, KeptMemory& kept) {
  bool foreign = false;
  for_each_watched([&](Thread& thread) { foreign = !put_section(thread) || foreign; });
  if (foreign) {
    refuse("it has restartable sequences of its own (rseq)");
    return Opened::thread_busy;
  }
  const long done = kernel_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
  if (done != 0) return Opened::thread_busy;
  const std::uint64_t begin = now_ns();
  std::uint64_t patience_ns = 0;
  for (;;) {
    Opened result = Opened::yes;
    std::size_t unseen = 0;
    kept.clear();
    for_each_watched([&](Thread& thread) { unseen += is_still(thread, kept, result) ? 0U : 1U; });
    if (result != Opened::yes) return result;
    if (unseen == 0) return Opened::yes;
    if (patience_ns == 0) patience_ns = patience_for(unseen, turn_ns);
    const std::uint64_t waited_ns = now_ns() - begin;
    if (waited_ns > patience_ns || the_window().phase.load_acquire() != Phase::opening) break;
    pause_between_looks(waited_ns);
  }
  return Opened::thread_busy;
}

}  // namespace homenode::agent::pkeys
