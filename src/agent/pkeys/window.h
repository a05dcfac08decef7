// A window: the short time in which some pages of the program have a key that its threads may not
// use. Opened and closed by the sampler; closed at once by a thread that changes the address space.
// Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/threads.h"
#include "base/atomic.h"
#include "base/sample.h"

namespace homenode::agent::pkeys {

inline constexpr std::uintptr_t huge_page_bytes = std::uintptr_t{2} << 20U;
inline constexpr std::size_t max_range_pages = 8;
/// Neighbouring pages, or a huge one, which a single system call arms.
struct ArmedRange {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  unsigned shift = 0;                         ///< It has 1 << shift bytes, less at an end.
  unsigned page_shift = 0;                    ///< Of its pages.
  std::uint16_t nodes[max_range_pages] = {};  ///< Of each page; unknown_sample_id: none yet.
};
inline constexpr std::size_t max_ranges = 128;

enum class Phase : std::uint32_t {
  closed,
  opening,  ///< System calls are dispatched, nothing is armed yet.
  armed,
};

struct Window {
  Atomic<Phase> phase;
  Atomic<std::uint32_t> number;  ///< Counted from 1.
  Atomic<std::uint32_t> keys;    ///< How many different ones its ranges have.
  Atomic<std::uint64_t> armed_ns;
  Atomic<std::uint64_t> ended_ns;
  Atomic<std::size_t> range_count;
  ArmedRange ranges[max_ranges];
};

/// The process's only one.
Window& the_window();

/// Held for short times only, and by no thread that a signal could interrupt.
class WindowLock {
 public:
  WindowLock();
  WindowLock(const WindowLock&) = delete;
  WindowLock& operator=(const WindowLock&) = delete;
  ~WindowLock();
};

/// pre: the lock is held. Gives all pages key 0 again.
void close_window();

/// What runs in the process as a whole.
struct Run {
  Atomic<bool> active;  ///< The sampler works; false in forked children, and once it has ended.
  Atomic<bool> ending;  ///< It has to end.
  Atomic<pid_t> pid;
  Atomic<const char*> refusal;             ///< Why it ended before its time.
  Atomic<std::uint32_t> blocking_calls;    ///< That were met in windows, and block our signals.
  Atomic<std::uint64_t> blocking_call_ns;  ///< When the last of them was.
  Atomic<std::uint64_t> refused_at;        ///< After the call that it ended for; 0: for no call.
  std::size_t rights_offset = 0;
  std::ptrdiff_t area_offset = 0;      ///< Of RestartableArea, from the thread pointer.
  bool pass_blocking = true;           ///< Calls that may wait can be passed on.
  Atomic<std::uint64_t> unknown_call;  ///< The last system call for which no window opened.
  Atomic<std::uint64_t> faults;
  Atomic<std::uint64_t> dispatches;
  Atomic<std::uint64_t> cancelled;
};
Run& the_run();

/// Whether this process is the one that the sampler runs in, and it does.
bool is_running();
/// Ends the sampling of this process for a reason that the program gives; the first one is kept.
void refuse(const char* why);

std::uint64_t now_ns();

}  // namespace homenode::agent::pkeys
