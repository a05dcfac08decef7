// What happened to large memory: allocated, freed, mapped, unmapped, in the form of the sample file
// (docs/sample-file.md). Serves libhomenode-sites.so. Events wait in a few buffers, by address, and
// are written soon: at once while there are few of them, a buffer at a time when there are many. So
// a program that is killed has lost a millisecond of them, not those of its arrays. A block that
// the same call stack gives back and gets again is one that was there all the time: a loop that
// does so costs no space in the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/sample_output.h"

namespace homenode::agent {

enum class EventKind : std::uint32_t { allocated = 1, freed = 2, mapped = 3, unmapped = 4 };

/// Little endian, 32 bytes, as in the file.
struct AllocationEvent {
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC: after it was given, or before it was given back.
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0 where an allocation is freed.
  std::uint32_t site = 0;   ///< Of the `sites` of this process; 0: not known, or none.
  EventKind kind = EventKind::allocated;
};
static_assert(sizeof(AllocationEvent) == 32);

std::uint64_t now_ns();

/// The buffers. constinit.
class EventLog {
 public:
  /// Adds one; drops it, which is counted, where another thread holds the buffer for too long: a
  /// program never waits for what a forked child cannot give back.
  void add(SampleOutput& output, const AllocationEvent& event);

  /// Writes what waits, at the end.
  void flush(SampleOutput& output);

  /// Around fork(): nothing waits in the child, and it can write whatever threads its parent has.
  void lock_all(SampleOutput& output);
  void unlock_all();
  void begin_child(std::uint32_t pid);

  void set_process(std::uint32_t pid) { pid_ = pid; }
  [[nodiscard]] std::size_t lost() const { return __atomic_load_n(&lost_, __ATOMIC_RELAXED); }

 private:
  static constexpr std::size_t capacity = 126;
  static constexpr std::size_t shards = 16;
  static constexpr std::size_t recents = 64;

  /// A block that was allocated lately, and since when it has been free, or 0.
  struct Recent {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t freed_ns = 0;
    std::uint32_t site = 0;
  };

  struct alignas(64) Shard {
    bool locked = false;
    bool by_fork = false;  ///< It is fork() that has locked it.
    std::uint32_t count = 0;
    AllocationEvent events[capacity] = {};
    Recent recent[recents] = {};
  };

  static bool try_lock(Shard& shard);
  static bool lock(Shard& shard);
  static void unlock(Shard& shard);
  /// Each gives whether there is something to write; pre: the shard is locked.
  bool take(SampleOutput& output, Shard& shard, const AllocationEvent& event);
  bool take_allocated(SampleOutput& output, Shard& shard, const AllocationEvent& event);
  bool take_freed(SampleOutput& output, Shard& shard, const AllocationEvent& event);
  void put(SampleOutput& output, Shard& shard, const AllocationEvent& event);
  void put_freed(SampleOutput& output, Shard& shard, Recent& recent);
  void write(SampleOutput& output, Shard& shard);
  void write_others(SampleOutput& output);
  bool may_write(std::uint64_t time_ns);

  Shard shards_[shards] = {};
  std::uint64_t next_write_ns_ = 0;
  std::size_t lost_ = 0;
  std::uint32_t pid_ = 0;
};

}  // namespace homenode::agent
