#include "actuation/next_touch.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "actuation/mappings.h"
#include "actuation/next_touch_handler.h"
#include "actuation/refusal.h"

namespace homenode::actuation {
namespace {

using Place = NextTouchPlace;

struct Range {
  std::uintptr_t first;
  std::uintptr_t end;
};

Range range_of(os::Os& os, Region region) {
  const auto first = reinterpret_cast<std::uintptr_t>(region.address);
  return {first, first + page_count(os, region) * os.page_bytes()};
}

Place* find_armed(Region region) {
  for (Place& place : next_touch_table()) {
    const auto first = reinterpret_cast<std::uintptr_t>(region.address);
    if (place.is_armed() && place.first.load() == first) return &place;
  }
  return nullptr;
}

Unexpected not_armed(Region region) {
  return bad_usage(fmt::format("no region at {} is armed for next touch", region.address),
                   "arm it first, and name its first address");
}

bool overlaps_an_armed_one(Range range) {
  for (const Place& place : next_touch_table()) {
    if (place.is_armed() && range.first < place.end.load() && place.first.load() < range.end) {
      return true;
    }
  }
  return false;
}

/// A place that is now the caller's to fill; one whose range nobody can ask for first.
Place* take_place() {
  for (const auto wanted : {Place::free, Place::disarmed}) {
    for (Place& place : next_touch_table()) {
      std::uint64_t state = place.state.load();
      // Above the state, so that no handler takes the new region for the old.
      const std::uint64_t next = Place::with_state(state + 8, Place::filling);
      if (Place::state_of(state) == wanted && place.state.compare_exchange_strong(state, next)) {
        return &place;
      }
    }
  }
  return nullptr;
}

void set_state(Place& place, Place::State state) {
  place.state = Place::with_state(place.state.load(), state);
}

/// One state for each unit, in memory of its own: a handler must never meet the allocator's.
Result<void> give_units(Place& place, os::Os& os, std::size_t count) {
  void* memory = nullptr;
  if (const int result = os.map_memory(count * sizeof(std::atomic<UnitState>), memory);
      result < 0) {
    return refusal(os,
                   {.call = Call::map_memory,
                    .tried = "cannot allocate the table of "
                             "touched pages"},
                   result);
  }
  auto* const units = static_cast<std::atomic<UnitState>*>(memory);
  std::uninitialized_value_construct_n(units, count);
  place.units = units;
  return {};
}

/// Units smaller than a huge page need pages that move alone.
Result<void> divide_huge_pages(os::Os& os, Range range, std::size_t unit_bytes) {
  const bool whole = unit_bytes % huge_page_bytes == 0 && range.first % huge_page_bytes == 0;
  if (whole) return {};
  void* const address = reinterpret_cast<void*>(range.first);  // NOLINT
  const auto forbidden = forbid_huge_pages(os, {address, range.end - range.first});
  if (!forbidden) return forbidden;
  const std::uintptr_t first_unit = range.first / huge_page_bytes * huge_page_bytes;
  for (std::uintptr_t unit = first_unit; unit < range.end; unit += huge_page_bytes) {
    void* const page = reinterpret_cast<void*>(std::max(unit, range.first));  // NOLINT
    split_huge_page(os, page);
  }
  return {};
}

/// pre: the place is being filled, and no handler is inside it.
Result<void> fill(Place& place, os::Os& os, Range range, std::size_t unit_bytes) {
  place.first = range.first;
  place.end = range.end;
  place.unit_bytes = unit_bytes;
  place.page_bytes = os.page_bytes();
  place.os = &os;
  place.touched_units = 0;
  place.pages_moved = 0;
  place.pages_left = 0;
  place.gave_up = false;
  place.abandoned = false;
  return give_units(place, os, (range.end - range.first + unit_bytes - 1) / unit_bytes);
}

NextTouchCounts counts_of(const Place& place) {
  const std::size_t bytes = place.end.load() - place.first.load();
  const std::size_t unit_bytes = place.unit_bytes.load();
  return {(bytes + unit_bytes - 1) / unit_bytes, place.touched_units.load(),
          place.pages_moved.load(), place.pages_left.load(), place.gave_up.load()};
}

/// Waits for the handlers that are inside, and gives the units back. A handler waits for nobody, so
/// this is short; a count that a fork() took over from another thread never falls, and then the
/// units stay: one byte for each.
void drain(Place& place, os::Os& os, std::size_t units) {
  constexpr int patience = 100000;
  for (int i = 0; i < patience && place.handlers.load() > 0; ++i) sched_yield();
  std::atomic<UnitState>* const memory = place.units.exchange(nullptr);
  if (place.handlers.load() == 0) os.unmap_memory(memory, units * sizeof *memory);
}

/// Makes all of the region that is still there accessible. The kernel gives ENOMEM at a hole and
/// leaves what lies behind it as it is, and also where its table of mappings is full.
int open_again(os::Os& os, Region region) {
  constexpr int accessible = PROT_READ | PROT_WRITE;
  const int result = os.protect_memory(region.address, region.bytes, accessible);
  if (result != -ENOMEM) return result;
  std::string maps;
  if (os.read_file("/proc/self/maps", maps) < 0) return result;
  const auto left =
      closed_remains(maps, reinterpret_cast<std::uintptr_t>(region.address), region.bytes);
  if (!left) return result;
  for (const Region part : *left) {
    if (const int opened = os.protect_memory(part.address, part.bytes, accessible); opened < 0) {
      return opened;
    }
  }
  return 0;
}

/// Nothing when another thread was faster.
std::optional<NextTouchCounts> end(Place& place) {
  std::uint64_t state = place.state.load();
  const std::uint64_t draining = Place::with_state(state, Place::draining);
  if (Place::state_of(state) != Place::armed ||
      !place.state.compare_exchange_strong(state, draining)) {
    return std::nullopt;
  }
  const NextTouchCounts counts = counts_of(place);
  drain(place, *place.os.load(), counts.units);
  set_state(place, Place::disarmed);
  return counts;
}

void disarm_abandoned() {
  for (Place& place : next_touch_table()) {
    if (!place.is_armed() || !place.abandoned.load()) continue;
    (void)disarm_next_touch({reinterpret_cast<void*>(place.first.load()), 0});  // NOLINT
  }
}

}  // namespace

Result<void> arm_next_touch(os::Os& os, Region region, std::size_t unit_pages) {
  assert(reinterpret_cast<std::uintptr_t>(region.address) % os.page_bytes() == 0);
  if (unit_pages == 0)
    return bad_usage("the unit of next touch must be at least 1 page", "give 1 or more pages");
  if (region.bytes == 0) return bad_usage("an empty region cannot be armed", "leave it out");
  disarm_abandoned();
  const Range range = range_of(os, region);
  if (overlaps_an_armed_one(range)) {
    return bad_usage(fmt::format("the region at {} overlaps an armed region", region.address),
                     "disarm that one first");
  }
  const std::size_t pages = (range.end - range.first) / os.page_bytes();
  const std::size_t unit_bytes = std::min(unit_pages, pages) * os.page_bytes();
  if (const auto divided = divide_huge_pages(os, range, unit_bytes); !divided) return divided;
  learn_next_touch_targets(os);
  Place* const place = take_place();
  if (place == nullptr) {
    return failed(
        fmt::format("all {} slots for armed regions are in use", std::tuple_size_v<NextTouchTable>),
        "disarm a region, or arm fewer and larger ones");
  }
  const auto filled = fill(*place, os, range, unit_bytes);
  if (!filled) {
    set_state(*place, Place::free);
    return filled;
  }
  install_next_touch_handler();
  set_state(*place, Place::armed);  // Before the first fault can come.
  const int result = os.protect_memory(region.address, range.end - range.first, PROT_NONE);
  if (result == 0) return {};
  const auto ended = disarm_next_touch(region);  // A part may be without access by now.
  if (!ended) abandon_next_touch(region);
  return refusal(
      os,
      {.call = Call::mprotect,
       .tried = fmt::format("cannot arm {} bytes at {} for next touch{}", region.bytes,
                            region.address, ended ? "" : ", nor make them accessible again")},
      result);
}

Result<NextTouchCounts> disarm_next_touch(Region region) {
  Place* const place = find_armed(region);
  if (place == nullptr) return not_armed(region);
  os::Os& os = *place->os.load();
  const std::uintptr_t first = place->first.load();
  const int result = open_again(os, {region.address, place->end.load() - first});
  if (result < 0) {
    return refusal(os,
                   {.call = Call::mprotect,
                    .tried = fmt::format("cannot make the region at {} accessible again; it stays "
                                         "armed",
                                         region.address)},
                   result);
  }
  const auto counts = end(*place);
  if (!counts) return not_armed(region);
  return *counts;
}

void forget_next_touch(Region region) {
  if (Place* const place = find_armed(region); place != nullptr) (void)end(*place);
}

void abandon_next_touch(Region region) {
  if (Place* const place = find_armed(region); place != nullptr) place->abandoned = true;
}

Result<NextTouchCounts> next_touch_counts(Region region) {
  const Place* const place = find_armed(region);
  if (place == nullptr) return not_armed(region);
  return counts_of(*place);
}

}  // namespace homenode::actuation
