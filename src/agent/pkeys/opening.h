// Opening a window in the order that breaks nothing: first each thread is known to be in user mode,
// or to wait in a system call whose buffers are known; then pages are chosen that are none of
// these; then they are armed. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/kept_memory.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {

/// Why no window was opened; numbered for the account that the sampler gives.
enum class Opened : unsigned {
  yes,
  thread_away,     ///< In libc functions that block signals, or about to end.
  thread_unknown,  ///< Made by libc for itself, or without libc.
  signals_blocked,
  thread_busy,   ///< In a system call, or without a CPU, for too long.
  call_unknown,  ///< A thread waits in a call whose buffers are not known.
  cancelled,     ///< The program changed its address space meanwhile.
  too_many_mappings,
  nothing_to_arm,
  count,
};
const char* name_of(Opened result);

/// How long a thread may need until it has had a CPU: one time slice here, more where other
/// programs run too. Doubled when it was too short, an eighth less when not.
inline constexpr std::uint64_t least_turn_ns = 5'000'000;
inline constexpr std::uint64_t most_turn_ns = 40'000'000;

struct PageChoice {
  std::size_t pages = 32;                 ///< About so many are armed with each key.
  std::uint64_t turn_ns = least_turn_ns;  ///< For each thread that is in a system call or waits.
  std::uint64_t seed = 1;
};

/// pre: no window is open, by the sampler's thread.
Opened open_window(PageChoice& choice, std::uint32_t sampler_tid);

/// System calls are the program's own again. pre: the window is closed.
void let_calls_through();

/// What there is before the program begins is never armed, but for a range. At the start, once.
void keep_initial_memory(AddressRange except);

// Whether the kernel acts for a thread of the program in a system call that began before calls were
// dispatched: opening_stillness.cpp.

/// Before calls are dispatched: all threads are watched, and block no signal of ours.
Opened check_threads(std::uint32_t sampler_tid);

/// pre: calls are dispatched. Adds to `kept` what threads that wait have given to the kernel.
///
/// How a thread is known to be in user mode: the kernel sets the section of its restartable area to
/// 0 on its way there, if the thread was interrupted before and the section is elsewhere. So a
/// section that never runs is put in, all threads that run are interrupted by membarrier(2), and
/// where it is gone the thread has come out of any system call. A program with sections of its own
/// keeps them: only a 0 is replaced.
///
/// Where there are more threads than CPUs, most have to have their turn first: it waits `turn_ns`
/// for each thread that was not seen at once, 200 ms at most.
Opened wait_for_threads(std::uint64_t turn_ns, KeptMemory& kept);

}  // namespace homenode::agent::pkeys
