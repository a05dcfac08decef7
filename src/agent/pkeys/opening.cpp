#include "agent/pkeys/opening.h"

#include <sys/mman.h>

#include <bit>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/kept_memory.h"
#include "agent/pkeys/keys.h"
#include "agent/pkeys/process_files.h"
#include "agent/pkeys/process_mappings.h"

namespace homenode::agent::pkeys {
namespace {

constexpr std::size_t max_mappings = 4096;
/// Arming divides mappings; the kernel's limit for all is 65,530, and the program needs its own.
constexpr std::size_t max_lines = 50'000;
constexpr std::size_t candidates_per_range = 4;
/// How often candidates are drawn where few of them are present: stacks, arenas and reserved memory
/// are large, and mostly nobody has touched them.
constexpr std::size_t max_draws = 16;

/// A thread that is about to block our signals has done so after this time, and can be seen to.
constexpr std::uint64_t time_to_block_ns = 50'000'000;

/// Of the program's start: never armed. And what waiting threads have given to the kernel.
constinit KeptMemory initial;
constinit KeptMemory given;

struct Eligible {
  std::uintptr_t first = 0;
  std::uintptr_t pages = 0;
};
constinit Eligible eligible[max_mappings];
constinit std::size_t eligible_count = 0;
/// Pages that are drawn, whose ranges are armed if they are present; in order of addresses.
constinit std::uintptr_t candidates[max_ranges * candidates_per_range];
constinit AddressRange candidate_ranges[max_ranges * candidates_per_range];
constinit int page_nodes[max_ranges * max_range_pages];
constinit AddressRange chosen[max_ranges];

/// How many ranges of how many pages, and with how many keys.
struct Cut {
  std::size_t ranges = 0;
  std::size_t pages = 1;
  std::size_t keys = 1;
  std::size_t offset = 0;  ///< Ranges begin so many pages after a multiple of `pages`.
};

std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

/// A thread is seen once with a key, so more than two ranges for each thread would be armed for
/// little, and the kernel takes as long for one range as for one page. To open a window costs far
/// more than some ranges: where there are few threads, each is seen with several keys.
///
/// A thread that goes through memory in order is seen at the first page of a range. So that this is
/// not always, say, a page with an even number, which another node may have than its neighbours,
/// ranges begin elsewhere in each window.
Cut cut_for(std::size_t pages, std::uint64_t& seed) {
  constexpr std::size_t fewest = 4;
  constexpr std::size_t cheap = 32;  // Ranges, which cost less than the rest of a window.
  const std::size_t most = pages < max_ranges ? pages : max_ranges;
  const std::size_t useful = 2 * running_threads();
  Cut cut{useful < fewest ? fewest : useful};
  if (cut.ranges > most) cut.ranges = most;
  while (cut.pages < max_range_pages && 2 * cut.pages * cut.ranges <= pages) cut.pages *= 2;
  while (cut.keys < max_window_keys && (cut.keys + 1) * cut.ranges <= cheap) ++cut.keys;
  cut.ranges *= cut.keys;
  cut.offset = next_random(seed) % cut.pages;
  return cut;
}

/// Whether test(range) is true for a stack of any thread, or one that a thread has left.
template <class Test>
bool any_stack(Test test) {
  for (std::size_t i = 0; i < thread_places(); ++i) {
    const Thread& thread = all_threads()[i];
    if (thread.own_stack != nullptr && thread.any_stack(test)) return true;
  }
  return false;
}

bool is_kept(AddressRange wanted) {
  return initial.overlaps(wanted.first, wanted.end) || given.overlaps(wanted.first, wanted.end) ||
         any_stack([&](AddressRange range) { return range.overlaps(wanted.first, wanted.end); });
}

/// The range that a page lies in, as far as the mapping goes. A huge page is armed as a whole: the
/// kernel would divide it, and the program would be slower from then on. So small pages are armed
/// up to the next place of a huge one.
AddressRange range_around(std::uintptr_t page, const Eligible& mapping, const Cut& cut) {
  const AddressRange whole{mapping.first, mapping.first + mapping.pages * page_bytes};
  const std::uintptr_t huge = page & ~(huge_page_bytes - 1);
  const AddressRange place{huge, huge + huge_page_bytes};
  if (whole.contains(place.first, place.end) && may_be_huge(page)) return place;
  const std::uintptr_t bytes = cut.pages * page_bytes;
  const std::uintptr_t offset = cut.offset * page_bytes;
  const std::uintptr_t first = ((page - offset) & ~(bytes - 1)) + offset;
  const AddressRange range{first, first + bytes};
  return range.within(place).within(whole);
}

bool is_wholly_kept(std::uintptr_t first, std::uintptr_t end) {
  return initial.contains(first, end) ||
         any_stack([&](AddressRange range) { return range.contains(first, end); });
}

/// Gives the number of pages that may be armed; 0 where there are none or too many mappings.
std::uintptr_t find_eligible(bool& too_many) {
  std::uintptr_t pages = 0;
  std::size_t lines = 0;
  eligible_count = 0;
  too_many = false;
  const bool read = read_mappings([&](const Mapping& mapping) {
    too_many = ++lines > max_lines || (mapping.writable_private && eligible_count == max_mappings);
    if (mapping.is_ring) refuse("it uses io_uring");
    if (too_many || mapping.is_ring) return false;
    if (!mapping.writable_private || mapping.is_stack) return true;
    if (is_wholly_kept(mapping.first, mapping.end)) return true;
    const std::uintptr_t count = (mapping.end - mapping.first) / page_bytes;
    eligible[eligible_count++] = {mapping.first, count};
    pages += count;
    return true;
  });
  return read && !too_many && !the_run().ending.load_acquire() ? pages : 0;
}

/// One page of each of `cut.ranges` x candidates_per_range equal parts of all that is eligible, in
/// order of addresses.
std::size_t draw_candidates(std::uintptr_t pages, const Cut& cut, std::uint64_t& seed) {
  const std::size_t count = cut.ranges * candidates_per_range;
  std::size_t found = 0;
  std::size_t at = 0;
  std::uintptr_t before = 0;  // Pages of the mappings before `at`.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t low = pages * i / count;
    const std::uintptr_t high = pages * (i + 1) / count;
    if (low == high) continue;
    const std::uintptr_t wanted = low + next_random(seed) % (high - low);
    while (before + eligible[at].pages <= wanted) before += eligible[at++].pages;
    const std::uintptr_t page = eligible[at].first + (wanted - before) * page_bytes;
    const AddressRange range = range_around(page, eligible[at], cut);
    if (is_kept(range)) continue;
    candidates[found] = page;
    candidate_ranges[found++] = range;
  }
  return found;
}

bool ask_for_nodes(const std::uintptr_t* pages, std::size_t count) {
  return kernel_call(SYS_move_pages, 0, count, pages, nullptr, page_nodes, 0) >= 0;
}

/// Those that are present, at most so many, each as likely as any other.
std::size_t keep_present(std::size_t count, std::size_t wanted, std::uint64_t& seed) {
  if (!ask_for_nodes(candidates, count)) return 0;
  std::size_t present = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (page_nodes[i] >= 0) candidate_ranges[present++] = candidate_ranges[i];
  }
  while (present > wanted) {
    candidate_ranges[next_random(seed) % present] = candidate_ranges[present - 1];
    --present;
  }
  return present;
}

/// Adds the first candidates' ranges to what is chosen, each once; gives how many there are then.
std::size_t choose(std::size_t candidate_count, std::size_t count) {
  for (std::size_t i = 0; i < candidate_count; ++i) {
    bool known = false;
    for (std::size_t j = 0; j < count; ++j) {
      known = known || chosen[j].first == candidate_ranges[i].first;
    }
    if (!known) chosen[count++] = candidate_ranges[i];
  }
  return count;
}

constexpr unsigned shift_of(std::uintptr_t bytes) {
  return static_cast<unsigned>(std::countr_zero(bytes));
}

/// Writes what is chosen to the window, with the nodes of its pages; ranges of small pages have so
/// many, or fewer.
void describe(std::size_t count, std::size_t range_pages) {
  static constinit std::uintptr_t pages[max_ranges * max_range_pages];
  std::size_t asked = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const AddressRange& wanted = chosen[i];
    const bool huge = wanted.end - wanted.first == huge_page_bytes;
    ArmedRange& range = the_window().ranges[i];
    range.first = wanted.first;
    range.end = wanted.end;
    range.shift = shift_of(huge ? huge_page_bytes : range_pages * page_bytes);
    range.page_shift = shift_of(huge ? huge_page_bytes : page_bytes);
    for (std::uintptr_t at = range.first; at < range.end;
         at += std::uintptr_t{1} << range.page_shift) {
      pages[asked++] = at;
    }
  }
  const bool known = ask_for_nodes(pages, asked);
  std::size_t page = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ArmedRange& range = the_window().ranges[i];
    for (std::size_t j = 0; j < (range.end - range.first) >> range.page_shift; ++j, ++page) {
      const bool present = known && page_nodes[page] >= 0;
      range.nodes[j] = present ? static_cast<std::uint16_t>(page_nodes[page]) : unknown_sample_id;
    }
  }
}

/// Neighbouring ranges have different keys.
Opened arm(std::size_t count, std::size_t keys) {
  int key[max_window_keys] = {};
  for (std::size_t i = 0; i < keys; ++i) key[i] = next_key();
  Window& window = the_window();
  const WindowLock lock;
  if (window.phase.load_acquire() != Phase::opening || threads_away() > 0) return Opened::cancelled;
  window.range_count.store_release(count);
  window.keys.store_relaxed(static_cast<std::uint32_t>(keys < count ? keys : count));
  window.armed_ns.store_relaxed(now_ns());
  window.phase.store_release(Phase::armed);
  for (std::size_t i = 0; i < count; ++i) {
    ArmedRange& range = window.ranges[i];
    const long done = kernel_call(SYS_pkey_mprotect, range.first, range.end - range.first,
                                  PROT_READ | PROT_WRITE, key[i % keys]);
    if (done != 0) range.end = range.first;
  }
  return Opened::yes;
}

Opened choose_and_arm(PageChoice& choice) {
  bool too_many = false;
  const std::uintptr_t pages = find_eligible(too_many);
  if (too_many) return Opened::too_many_mappings;
  if (pages == 0) return Opened::nothing_to_arm;
  const Cut cut = cut_for(choice.pages, choice.seed);
  std::size_t count = 0;
  for (std::size_t i = 0; i < max_draws && count < cut.ranges; ++i) {
    const std::size_t drawn = draw_candidates(pages, cut, choice.seed);
    count = choose(keep_present(drawn, cut.ranges - count, choice.seed), count);
  }
  if (count == 0) return Opened::nothing_to_arm;
  describe(count, cut.pages);
  return arm(count, cut.keys);
}

void keep_memory(AddressRange range) {
  if (!initial.add(range)) refuse("it has too many mappings at its start");
}

bool begin_opening() {
  const WindowLock lock;
  if (threads_away() > 0) return false;
  the_window().number.add_relaxed(1);
  the_window().range_count.store_release(0);
  the_window().phase.store_release(Phase::opening);
  return true;
}

/// From here on the calls of all watched threads are dispatched. Each is looked at just before: one
/// that blocks our signals, as libc does while it makes a thread, would die of its next call.
Opened dispatch_calls() {
  if (!begin_opening()) return Opened::thread_away;
  for (std::size_t i = 0; i < thread_places(); ++i) {
    Thread& thread = all_threads()[i];
    if (thread.presence.load_acquire() != Presence::watched) continue;
    if (blocks_signals(thread)) return Opened::signals_blocked;
    const WindowLock lock;
    if (the_window().phase.load_acquire() != Phase::opening) return Opened::cancelled;
    if (thread.presence.load_acquire() == Presence::watched) thread.selector.store_release(1);
  }
  return Opened::yes;
}

std::uint64_t next_turn_ns(std::uint64_t turn_ns, Opened result) {
  if (result == Opened::thread_busy) return turn_ns < most_turn_ns / 2 ? 2 * turn_ns : most_turn_ns;
  const std::uint64_t less_ns = turn_ns - turn_ns / 8;
  return result == Opened::yes && less_ns > least_turn_ns ? less_ns : turn_ns;
}

}  // namespace

const char* name_of(Opened result) {
  constexpr const char* names[] = {"opened",          "thread_away",       "thread_unknown",
                                   "signals_blocked", "thread_busy",       "call_unknown",
                                   "cancelled",       "too_many_mappings", "nothing_to_arm"};
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(Opened::count));
  return names[static_cast<std::size_t>(result)];
}

Opened open_window(PageChoice& choice, std::uint32_t sampler_tid) {
  if (now_ns() < the_run().blocking_call_ns.load_relaxed() + time_to_block_ns) {
    return Opened::signals_blocked;
  }
  if (const Opened before = check_threads(sampler_tid); before != Opened::yes) return before;
  Opened result = dispatch_calls();
  if (result == Opened::yes) {
    result = wait_for_threads(choice.turn_ns, given);
    choice.turn_ns = next_turn_ns(choice.turn_ns, result);
  }
  // No thread can change what is found now: its calls would come to us.
  if (result == Opened::yes) result = check_threads(sampler_tid);
  if (result == Opened::yes) result = choose_and_arm(choice);
  if (result == Opened::yes) return result;
  {
    const WindowLock lock;
    close_window();
  }
  let_calls_through();
  return result;
}

void let_calls_through() {
  for (std::size_t i = 0; i < thread_places(); ++i) all_threads()[i].selector.store_release(0);
}

void keep_initial_memory(AddressRange except) {
  read_mappings([&](const Mapping& mapping) {
    if (!mapping.writable_private) return true;
    if (!except.overlaps(mapping.first, mapping.end)) {
      keep_memory({mapping.first, mapping.end});
      return true;
    }
    keep_memory({mapping.first, except.first});
    keep_memory({except.end, mapping.end});
    return true;
  });
}

}  // namespace homenode::agent::pkeys
