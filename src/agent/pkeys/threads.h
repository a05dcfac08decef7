// The threads that the sampler watches. Each has its rights to the keys denied and its system calls
// dispatched to the sampler while a window is open. Serves the sampler by protection keys.
//
// A thread is *away* while it runs a function of libc that blocks all signals (it would die of the
// first signal of ours) and from the end of its own function on: it then may access everything, its
// system calls are its own, and no window opens or stays open.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "base/atomic.h"

namespace homenode::agent::pkeys {

/// Touched as far as handlers need it; a program whose handlers ask for the signal stack and have
/// none gets this one.
inline constexpr std::size_t signal_stack_bytes = std::size_t{256} << 10U;

/// A thread's area that it shares with the kernel, by glibc's registration (linux/rseq.h).
struct RestartableArea {
  std::uint32_t cpu_id_start;
  std::uint32_t cpu_id;
  std::uint64_t section;  ///< The kernel sets it to 0 on the way to user mode.
};

struct AddressRange {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool contains(std::uintptr_t other_first, std::uintptr_t other_end) const {
    return first <= other_first && other_end <= end;
  }
  /// pre: they overlap.
  [[nodiscard]] AddressRange within(AddressRange other) const {
    return {first < other.first ? other.first : first, end < other.end ? end : other.end};
  }
  [[nodiscard]] bool overlaps(std::uintptr_t other_first, std::uintptr_t other_end) const {
    return first < other_end && other_first < end;
  }
};

enum class Presence : std::uint32_t { none, watched, away, leaving };

struct alignas(64) Thread {
  /// Read by the kernel at each system call: 0 lets it through, 1 has it dispatched.
  Atomic<std::uint8_t> selector;
  Atomic<Presence> presence;
  Atomic<std::uint32_t> tid;           ///< 0: the place is free.
  Atomic<std::uint32_t> allowed_keys;  ///< Bits of those that its last faults have allowed.
  Atomic<std::uint32_t>
      touched_window;       ///< The last one in which it faulted, and was allowed them.
  std::uint32_t depth = 0;  ///< Of being away, by the thread alone.
  Atomic<RestartableArea*> area;
  AddressRange stack;
  AddressRange alternate;     ///< The signal stack that the program gave it.
  stack_t program_stack{};    ///< As the program believes that it is.
  void* own_stack = nullptr;  ///< The sampler's signal stack.
  /// Calls test(range) for the stacks until one says true.
  template <class Test>
  [[nodiscard]] bool any_stack(Test test) const {
    const auto own = reinterpret_cast<std::uintptr_t>(own_stack);
    return test(stack) || test(alternate) || test(AddressRange{own, own + signal_stack_bytes});
  }
  bool waits = false;    ///< In a system call, when a window opened last; by the sampler alone.
  int call_file = -1;    ///< /proc/self/task/TID/syscall; by the sampler alone.
  int status_file = -1;  ///< Its status.
};

inline constexpr std::size_t max_threads = 1024;
/// Places up to the highest that was ever taken.
Thread* all_threads();
std::size_t thread_places();

/// The calling thread's; null where it is not watched.
Thread* own_thread();
/// Gives the sampler's own thread, which is in no list, a place for its calibration.
void adopt(Thread* thread);

enum class ThreadOrigin {
  first,  ///< Of the process.
  made,   ///< By pthread_create() or thrd_create(), before its own function.
  found,  ///< By a library that asked libc itself: anywhere in its own function.
};
/// Watches the calling thread from here on. Does nothing where the sampler does not run, or where
/// it is watched.
void watch_thread(ThreadOrigin origin);
/// Around functions of libc that block signals. May be nested.
void go_away();
void come_back();
/// Before the calling thread ends.
void leave_for_good();

class Away {
 public:
  Away() { go_away(); }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  ~Away() { come_back(); }
};

/// Of the watched threads those that did not wait in a system call when the window opened.
std::size_t running_threads();
/// How many threads are away; read under the window's lock.
std::uint32_t threads_away();
/// Frees the place of a thread that has ended. By the sampler.
void forget_thread(Thread& thread);

/// The signal stack of a watched thread, as the program sees it.
int change_signal_stack(const stack_t* wanted, stack_t* before);

/// The state of a thread that goes away or comes back must not be changed by a handler of the
/// program between; while this lives, no signal is delivered to the calling thread.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  std::uint64_t kept_ = 0;
};

}  // namespace homenode::agent::pkeys
