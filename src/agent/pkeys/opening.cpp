#include "agent/pkeys/opening.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/kept_memory.h"

namespace homenode::agent::pkeys {
namespace {

constexpr std::uintptr_t page_bytes = 4096;  // x86-64's.
constexpr std::size_t max_mappings = 4096;
/// Arming divides mappings; the kernel's limit for all is 65,530, and the program needs its own.
constexpr std::size_t max_lines = 50'000;
constexpr std::size_t candidates_per_range = 4;
/// How often candidates are drawn where few of them are present: stacks, arenas and reserved memory
/// are large, and mostly nobody has touched them.
constexpr std::size_t max_draws = 16;

/// Of the program's start: never armed. And what waiting threads have given to the kernel.
constinit KeptMemory initial;
constinit KeptMemory given;

struct Eligible {
  std::uintptr_t first = 0;
  std::uintptr_t pages = 0;
};
constinit Eligible eligible[max_mappings];
constinit std::size_t eligible_count = 0;
constinit std::uintptr_t candidates[max_ranges * candidates_per_range];
constinit int candidate_nodes[max_ranges * candidates_per_range];
struct Chosen {
  std::uintptr_t page = 0;
  int node = 0;
};
constinit Chosen chosen[max_ranges];

std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
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

bool is_kept(std::uintptr_t first, std::uintptr_t end) {
  return initial.overlaps(first, end) || given.overlaps(first, end) ||
         any_stack([&](AddressRange range) { return range.overlaps(first, end); });
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

/// One page of each of `count` equal parts of all that is eligible, in order of addresses.
std::size_t draw_candidates(std::uintptr_t pages, std::size_t count, std::uint64_t& seed) {
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
    if (!is_kept(page, page + page_bytes)) candidates[found++] = page;
  }
  return found;
}

/// Those that are present, at most so many, each as likely as any other.
std::size_t keep_present(std::size_t count, std::size_t wanted, std::uint64_t& seed) {
  if (kernel_call(SYS_move_pages, 0, count, candidates, nullptr, candidate_nodes, 0) < 0) return 0;
  std::size_t present = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (candidate_nodes[i] < 0) continue;
    candidates[present] = candidates[i];
    candidate_nodes[present++] = candidate_nodes[i];
  }
  while (present > wanted) {
    const std::size_t out = next_random(seed) % present;
    candidates[out] = candidates[--present];
    candidate_nodes[out] = candidate_nodes[present];
  }
  return present;
}

/// Adds the first candidates to what is chosen, each page once; gives how many there are then.
std::size_t choose(std::size_t candidate_count, std::size_t count) {
  const std::size_t before = count;
  for (std::size_t i = 0; i < candidate_count; ++i) {
    bool known = false;
    for (std::size_t j = 0; j < before; ++j) known = known || chosen[j].page == candidates[i];
    if (!known) chosen[count++] = {candidates[i], candidate_nodes[i]};
  }
  return count;
}

Opened arm(std::size_t count, int key) {
  Window& window = the_window();
  const WindowLock lock;
  if (window.phase.load_acquire() != Phase::opening || threads_away() > 0) return Opened::cancelled;
  for (std::size_t i = 0; i < count; ++i) {
    window.ranges[i] = {chosen[i].page, chosen[i].page + page_bytes,
                        static_cast<std::uint16_t>(chosen[i].node)};
  }
  window.range_count.store_release(count);
  window.key.store_relaxed(key);
  window.armed_ns.store_relaxed(now_ns());
  window.phase.store_release(Phase::armed);
  for (std::size_t i = 0; i < count; ++i) {
    ArmedRange& range = window.ranges[i];
    const long done =
        kernel_call(SYS_pkey_mprotect, range.first, page_bytes, PROT_READ | PROT_WRITE, key);
    if (done != 0) range.end = range.first;
  }
  return Opened::yes;
}

Opened choose_and_arm(PageChoice& choice, int key) {
  bool too_many = false;
  const std::uintptr_t pages = find_eligible(too_many);
  if (too_many) return Opened::too_many_mappings;
  if (pages == 0) return Opened::nothing_to_arm;
  const std::size_t ranges = choice.ranges < max_ranges ? choice.ranges : max_ranges;
  std::size_t count = 0;
  for (std::size_t i = 0; i < max_draws && count < ranges; ++i) {
    const std::size_t drawn = draw_candidates(pages, ranges * candidates_per_range, choice.seed);
    count = choose(keep_present(drawn, ranges - count, choice.seed), count);
  }
  return count == 0 ? Opened::nothing_to_arm : arm(count, key);
}

void keep_memory(AddressRange range) {
  if (!initial.add(range)) refuse("it has too many mappings at its start");
}

/// From here on the calls of all watched threads are dispatched.
bool dispatch_calls() {
  const WindowLock lock;
  if (threads_away() > 0) return false;
  the_window().number.add_relaxed(1);
  the_window().range_count.store_release(0);
  the_window().phase.store_release(Phase::opening);
  for (std::size_t i = 0; i < thread_places(); ++i) {
    Thread& thread = all_threads()[i];
    if (thread.presence.load_acquire() == Presence::watched) thread.selector.store_release(1);
  }
  return true;
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

Opened open_window(PageChoice& choice, std::uint32_t sampler_tid, int key) {
  if (const Opened before = check_threads(sampler_tid); before != Opened::yes) return before;
  if (!dispatch_calls()) return Opened::thread_away;
  Opened result = wait_for_threads(choice.turn_ns, given);
  choice.turn_ns = next_turn_ns(choice.turn_ns, result);
  // No thread can change what is found now: its calls would come to us.
  if (result == Opened::yes) result = check_threads(sampler_tid);
  if (result == Opened::yes) result = choose_and_arm(choice, key);
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
