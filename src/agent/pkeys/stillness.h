// Makes sure of each thread of the program that the kernel does not act for it in a system call
// that began before calls were dispatched. Serves opening.h.
#pragma once

#include <cstdint>

#include "agent/pkeys/kept_memory.h"
#include "agent/pkeys/opening.h"

namespace homenode::agent::pkeys {

/// Before calls are dispatched: all threads are watched, and block no signal of ours.
Opened check_threads(std::uint32_t sampler_tid);

/// pre: calls are dispatched. Adds to `kept` what threads that wait have given to the kernel.
///
/// How a thread is known to be in user mode: the kernel sets the section of its restartable area to
/// 0 on its way there, if the thread was interrupted before and the section is elsewhere. So a
/// section that never runs is put in, all threads that run are interrupted by membarrier(2), and
/// where it is gone the thread has come out of any system call. A program with sections of its own
/// keeps them: only a 0 is replaced.
Opened wait_for_threads(std::uint64_t patience_ns, KeptMemory& kept);

}  // namespace homenode::agent::pkeys
