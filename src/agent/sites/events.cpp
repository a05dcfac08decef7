#include "agent/sites/events.h"

#include <ctime>

namespace homenode::agent {
namespace {

/// So many writes a second, at 2 microseconds each, are 0.2 % of a processor.
constexpr std::uint64_t write_interval_ns = 1'000'000;
/// So many may follow each other before that: what a program allocates when it starts.
constexpr std::uint64_t burst_writes = 256;
/// Another thread copies 32 bytes meanwhile, or writes a block.
constexpr unsigned most_tries = 100'000;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Blocks that are allocated again later than this were somebody else's meanwhile.
constexpr std::uint64_t same_block_ns = 10'000'000;

std::uint64_t hash_of_address(std::uint64_t address) {
  return (address >> 4U) * 0x9e3779b97f4a7c15U >> 40U;
}

}  // namespace

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool EventLog::try_lock(Shard& shard) {
  return !__atomic_exchange_n(&shard.locked, true, __ATOMIC_ACQUIRE);
}

bool EventLog::lock(Shard& shard) {
  for (unsigned i = 0; i < most_tries; ++i) {
    if (!__atomic_load_n(&shard.locked, __ATOMIC_RELAXED) && try_lock(shard)) return true;
    pause_cpu();
  }
  return false;
}

void EventLog::unlock(Shard& shard) {
  __atomic_store_n(&shard.locked, false, __ATOMIC_RELEASE);
}

void EventLog::write(SampleOutput& output, Shard& shard) {
  if (shard.count == 0) return;
  const std::uint64_t process = pid_;
  const BlockPart parts[2] = {{&process, sizeof process},
                              {shard.events, shard.count * sizeof shard.events[0]}};
  if (!output.append("ALOC", parts, 2)) {
    __atomic_fetch_add(&lost_, shard.count, __ATOMIC_RELAXED);
  }
  shard.count = 0;
}

void EventLog::write_others(SampleOutput& output) {
  for (Shard& shard : shards_) {
    if (__atomic_load_n(&shard.count, __ATOMIC_RELAXED) == 0 || !try_lock(shard)) continue;
    write(output, shard);
    unlock(shard);
  }
}

/// The kernel's rate limits count so: each write moves the time of the next one on.
bool EventLog::may_write(std::uint64_t time_ns) {
  constexpr std::uint64_t burst_ns = burst_writes * write_interval_ns;
  std::uint64_t next = __atomic_load_n(&next_write_ns_, __ATOMIC_RELAXED);
  if (next > time_ns) return false;
  const std::uint64_t earliest = time_ns > burst_ns ? time_ns - burst_ns : 0;
  const std::uint64_t from = next > earliest ? next : earliest;
  return __atomic_compare_exchange_n(&next_write_ns_, &next, from + write_interval_ns, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void EventLog::put(SampleOutput& output, Shard& shard, const AllocationEvent& event) {
  shard.events[shard.count] = event;
  __atomic_store_n(&shard.count, shard.count + 1, __ATOMIC_RELAXED);
  if (shard.count == capacity) write(output, shard);
}

void EventLog::put_freed(SampleOutput& output, Shard& shard, Recent& recent) {
  if (recent.freed_ns == 0) return;
  put(output, shard, {recent.freed_ns, recent.address, 0, 0, EventKind::freed});
  recent.freed_ns = 0;
}

bool EventLog::take_allocated(SampleOutput& output, Shard& shard, const AllocationEvent& event) {
  Recent& recent = shard.recent[hash_of_address(event.address) / shards % recents];
  const bool again = recent.freed_ns != 0 && recent.address == event.address &&
                     recent.bytes == event.bytes && recent.site == event.site &&
                     event.time_ns - recent.freed_ns < same_block_ns;
  if (again) {
    recent.freed_ns = 0;
    return false;
  }
  put_freed(output, shard, recent);
  recent = {event.address, event.bytes, 0, event.site};
  put(output, shard, event);
  return true;
}

bool EventLog::take_freed(SampleOutput& output, Shard& shard, const AllocationEvent& event) {
  Recent& recent = shard.recent[hash_of_address(event.address) / shards % recents];
  if (recent.address == event.address && recent.freed_ns == 0) {
    recent.freed_ns = event.time_ns;
    return false;
  }
  put(output, shard, event);
  return true;
}

bool EventLog::take(SampleOutput& output, Shard& shard, const AllocationEvent& event) {
  switch (event.kind) {
    case EventKind::allocated:
      return take_allocated(output, shard, event);
    case EventKind::freed:
      return take_freed(output, shard, event);
    default:
      put(output, shard, event);
      return true;
  }
}

void EventLog::add(SampleOutput& output, const AllocationEvent& event) {
  Shard& shard = shards_[hash_of_address(event.address) % shards];
  if (!lock(shard)) {
    __atomic_fetch_add(&lost_, 1, __ATOMIC_RELAXED);
    return;
  }
  const bool may = take(output, shard, event) && may_write(event.time_ns);
  if (may) write(output, shard);
  unlock(shard);
  if (may) write_others(output);
}

void EventLog::flush(SampleOutput& output) {
  for (Shard& shard : shards_) {
    if (!lock(shard)) continue;
    for (Recent& recent : shard.recent) put_freed(output, shard, recent);
    write(output, shard);
    unlock(shard);
  }
}

void EventLog::lock_all(SampleOutput& output) {
  for (Shard& shard : shards_) {
    shard.by_fork = lock(shard);
    if (shard.by_fork) write(output, shard);
  }
}

void EventLog::unlock_all() {
  for (Shard& shard : shards_) {
    if (!shard.by_fork) continue;
    shard.by_fork = false;
    unlock(shard);
  }
}

void EventLog::begin_child(std::uint32_t pid) {
  pid_ = pid;
  for (Shard& shard : shards_) {
    shard.count = 0;  // Of a thread that the child does not have.
    for (Recent& recent : shard.recent) recent = {};
    shard.by_fork = false;
    unlock(shard);
  }
}

}  // namespace homenode::agent
