// What the kernel's files say of the threads of this process: which there are, what they wait in,
// which signals they block. Read by the sampler's thread alone, whose open files are its own.
// Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/threads.h"

namespace homenode::agent::pkeys {

inline constexpr std::size_t max_tasks = 2 * max_threads;
struct TaskList {
  std::uint32_t tids[max_tasks] = {};
  std::size_t count = 0;
};
/// All threads there are, each alive; false where it cannot be sure of that, as there are too many,
/// one ends meanwhile, or /proc cannot be read.
bool read_tasks(TaskList& list);

/// Whether the process has this thread still.
bool is_alive(std::uint32_t tid);

/// What a thread does in the kernel.
struct ThreadCall {
  enum class State {
    running,  ///< Somewhere, or it cannot be read.
    outside,  ///< It waits, and in no system call: a page fault.
    waiting,  ///< It waits in `number`.
  };
  State state = State::running;
  std::uint64_t number = 0;
  std::uint64_t arguments[6] = {};
  std::uint64_t instruction = 0;
};
ThreadCall read_call(Thread& thread);

/// Whether it blocks a signal of the sampler, or that cannot be read.
bool blocks_signals(Thread& thread);

}  // namespace homenode::agent::pkeys
