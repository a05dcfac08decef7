// Opening a window in the order that breaks nothing: first each thread is known to be in user mode,
// or to wait in a system call whose buffers are known; then pages are chosen that are none of
// these; then they are armed. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/process_files.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {

/// Why no window was opened; numbered for the account that the sampler gives.
enum class Opened : unsigned {
  yes,
  thread_away,     ///< In libc functions that block signals, or about to end.
  thread_unknown,  ///< Made by libc for itself, or without libc.
  signals_blocked,
  thread_busy,   ///< In a system call for too long.
  call_unknown,  ///< A thread waits in a call whose buffers are not known.
  cancelled,     ///< The program changed its address space meanwhile.
  too_many_mappings,
  nothing_to_arm,
  count,
};
const char* name_of(Opened result);

struct PageChoice {
  std::size_t ranges = 32;                ///< At most so many are armed.
  std::uint64_t patience_ns = 5'000'000;  ///< For threads in system calls.
  std::uint64_t seed = 1;
};

/// pre: no window is open, by the sampler's thread.
Opened open_window(PageChoice& choice, std::uint32_t sampler_tid, int key);

/// System calls are the program's own again. pre: the window is closed.
void let_calls_through();

/// What there is before the program begins is never armed, but for a range. At the start, once.
void keep_initial_memory(AddressRange except);

}  // namespace homenode::agent::pkeys
