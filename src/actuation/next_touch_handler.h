// The signal handler of next touch, its place in the chain of those that were there before, and
// what it reads: the regions that are armed and the nodes that pages go to, in a fixed table
// without locks, because the thread that is interrupted may hold any lock. Serves next_touch.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "os/os.h"

namespace homenode::actuation {

/// What has become of one unit of a region.
enum class UnitState : std::uint8_t { untouched, claimed, done };

/// One armed region. A place goes free -> filling -> armed -> draining -> disarmed -> filling -> …;
/// a disarmed one keeps its range, for the handlers of faults that were raised while it was armed.
struct NextTouchPlace {
  enum State : std::uint32_t { free, filling, armed, draining, disarmed };

  /// State in the low three bits, above them a number that each new region raises.
  std::atomic<std::uint64_t> state{free};
  std::atomic<std::uint32_t> handlers{0};  ///< That are inside this place now.
  std::atomic<std::uintptr_t> first{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::size_t> unit_bytes{0};
  std::atomic<std::size_t> page_bytes{0};
  std::atomic<os::Os*> os{nullptr};
  std::atomic<std::atomic<UnitState>*> units{nullptr};
  std::atomic<std::size_t> touched_units{0};
  std::atomic<std::size_t> pages_moved{0};
  std::atomic<std::size_t> pages_left{0};
  std::atomic<bool> gave_up{false};
  std::atomic<bool> abandoned{false};  ///< Whoever needs a place may try to disarm it.

  [[nodiscard]] static State state_of(std::uint64_t value) { return State(value & 7U); }
  [[nodiscard]] static std::uint64_t with_state(std::uint64_t value, State state) {
    return (value & ~std::uint64_t{7}) | state;
  }
  [[nodiscard]] bool is_armed() const { return state_of(state.load()) == armed; }
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return first.load() <= address && address < end.load();
  }
};

using NextTouchTable = std::array<NextTouchPlace, 256>;

/// The process's only one.
NextTouchTable& next_touch_table();

/// Where pages go that a CPU of `node` touches: there, or to the nearest node with memory.
NodeId next_touch_target(NodeId node);
/// Learns from sysfs which nodes have CPUs and no memory, and what is nearest to them. Not for the
/// signal handler.
void learn_next_touch_targets(os::Os& os);

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<UnitState>::is_always_lock_free);

/// Makes SIGSEGV come to next touch first. Does nothing when it does already; a handler that was
/// installed since then comes after ours, as all earlier ones do. Any thread may call it.
void install_next_touch_handler();

}  // namespace homenode::actuation
