#include "agent/sites/stack.h"

#include <unwind.h>

namespace homenode::agent {
namespace {

/// Of ours, before the caller's.
constexpr std::size_t most_own_frames = 8;

struct Walk {
  Stack& stack;
  std::uintptr_t caller;
  std::size_t skipped = 0;
};

/// Where x86-64 keeps a return address: right below the frame of the function that it leads to. One
/// that is not there is passed over, and so is what a signal interrupted.
std::uint64_t slot_of(_Unwind_Context* context, std::uintptr_t address, bool interrupted) {
#if defined(__x86_64__)
  if (interrupted) return 0;
  const std::uintptr_t slot = _Unwind_GetCFA(context) - sizeof(std::uintptr_t);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *reinterpret_cast<const std::uintptr_t*>(slot) == address ? slot : 0;
#else
  return 0;
#endif
}

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* memory) {
  Walk& walk = *static_cast<Walk*>(memory);
  int interrupted = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (walk.stack.count == 0 && address != walk.caller) {
    return ++walk.skipped > most_own_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  if (address == 0) return _URC_END_OF_STACK;
  walk.stack.frames[walk.stack.count] = address;
  walk.stack.slots[walk.stack.count] = slot_of(context, address, interrupted != 0);
  ++walk.stack.count;
  return walk.stack.count == Stack::most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void take_stack(std::uintptr_t caller, Stack& stack) {
  Walk walk{stack, caller};
  _Unwind_Backtrace(&take_frame, &walk);
  if (stack.count == 0) {
    stack.frames[0] = caller;
    stack.count = 1;
  }
}

StackMemory::Set& StackMemory::set_of(std::uintptr_t caller, std::uintptr_t frame,
                                      unsigned function) {
  std::uint64_t mixed = caller * 0x9e3779b97f4a7c15U + frame * 0xc2b2ae3d27d4eb4fU + function;
  mixed ^= mixed >> 29U;
  return sets_[((mixed * 0xbf58476d1ce4e5b9U) >> 32U) % sets];
}

/// From inside to outside: as long as the addresses are the same, the functions are, and so the
/// stack reaches at least to the next one.
bool StackMemory::is_same(const Entry& entry, std::uintptr_t caller, std::uintptr_t frame,
                          unsigned function) const {
  bool same = entry.frame == frame && entry.function == function &&
              entry.generation == generation_ && entry.count > 0 && entry.frames[0] == caller;
  for (std::size_t i = 0; same && i < entry.count; ++i) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    same = *reinterpret_cast<const std::uint64_t*>(frame + entry.offsets[i]) == entry.frames[i];
  }
  return same;
}

std::uint32_t StackMemory::recall(std::uintptr_t caller, std::uintptr_t frame, unsigned function) {
  Set& set = set_of(caller, frame, function);
  if (__atomic_exchange_n(&set.locked, true, __ATOMIC_ACQUIRE)) return 0;
  std::uint32_t site = 0;
  for (std::size_t i = 0; i < Set::ways && site == 0; ++i) {
    if (is_same(set.entries[i], caller, frame, function)) site = set.entries[i].site;
  }
  __atomic_store_n(&set.locked, false, __ATOMIC_RELEASE);
  return site;
}

void StackMemory::remember(const Stack& stack, std::uintptr_t frame, unsigned function,
                           std::uint32_t site) {
  for (std::size_t i = 0; i < stack.count; ++i) {
    if (stack.slots[i] < frame || stack.slots[i] - frame > UINT32_MAX) return;
  }
  Set& set = set_of(stack.frames[0], frame, function);
  if (__atomic_exchange_n(&set.locked, true, __ATOMIC_ACQUIRE)) return;
  Entry& entry = set.entries[set.next++ % Set::ways];
  entry.count = static_cast<std::uint8_t>(stack.count);
  entry.function = static_cast<std::uint16_t>(function);
  entry.site = site;
  entry.frame = frame;
  entry.generation = generation_;
  for (std::size_t i = 0; i < stack.count; ++i) {
    entry.frames[i] = stack.frames[i];
    entry.offsets[i] = static_cast<std::uint32_t>(stack.slots[i] - frame);
  }
  __atomic_store_n(&set.locked, false, __ATOMIC_RELEASE);
}

void StackMemory::forget() {
  ++generation_;
}

}  // namespace homenode::agent
