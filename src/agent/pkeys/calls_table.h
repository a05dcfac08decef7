// What the sampler knows of the program's system calls: which of them may run while pages are armed
// and which buffers a waiting one has given to the kernel. Serves the sampler by protection keys.
#pragma once

#include <cstdint>

#include "agent/pkeys/threads.h"

namespace homenode::agent::pkeys {

/// Whether a call may run while a window is open, with all keys allowed: it leaves mappings of the
/// program as they are, returns once and to where it was made, and blocks no signal of ours.
/// `arguments` as the kernel gets them; the memory behind them can be read.
bool may_pass(std::uint64_t number, const std::uint64_t* arguments, bool may_wait);

/// Whether a call would block the signals of the sampler.
bool blocks_our_signals(std::uint64_t number, const std::uint64_t* arguments);

/// Calls take(range) for each buffer that a waiting call may still write to or read; false for a
/// call of which that is not known.
template <class Take>
bool for_each_buffer(std::uint64_t number, const std::uint64_t* arguments, Take take);

/// A buffer: which argument points to it, which one gives its length (or none) in units, and the
/// unit or the whole length in bytes.
struct CallBuffer {
  std::uint8_t pointer;
  std::uint8_t length;
  std::uint32_t unit;
};
inline constexpr std::uint8_t no_length = 7;
struct WaitingCall {
  std::uint16_t number;
  std::uint8_t count;
  CallBuffer buffers[4];
};
const WaitingCall* find_waiting_call(std::uint64_t number);

template <class Take>
bool for_each_buffer(std::uint64_t number, const std::uint64_t* arguments, Take take) {
  const WaitingCall* const call = find_waiting_call(number);
  if (call == nullptr) return false;
  for (std::uint8_t i = 0; i < call->count; ++i) {
    const CallBuffer& buffer = call->buffers[i];
    const std::uint64_t first = arguments[buffer.pointer];
    if (first == 0) continue;
    const std::uint64_t units = buffer.length == no_length ? 1 : arguments[buffer.length];
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(units, std::uint64_t{buffer.unit}, &bytes) ||
        __builtin_add_overflow(first, bytes, &end)) {
      return false;
    }
    take(AddressRange{first, end});
  }
  return true;
}

}  // namespace homenode::agent::pkeys
