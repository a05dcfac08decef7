// Misses by thread, unit of virtual memory and node: what a sample file gets of one vCPU. One table
// for each vCPU, so that its host thread alone writes to it. Where the tables have all the memory
// that they may have, a table makes its units larger instead of losing counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "lab/plugin/first_users.h"

namespace homenode::lab {

/// A miss of the private caches.
struct Miss {
  std::uint64_t address = 0;   ///< Virtual.
  std::uint64_t physical = 0;  ///< 0: not known.
  unsigned node = 0;           ///< The index of the node that the line lies on.
  bool store = false;
  bool prefetched = false;  ///< Asked for ahead of its use.
  bool from_cache = false;  ///< A cache that others use, too, had it.
};

/// What tells the uses of a unit apart: bits, so that every sum of them is a kind.
enum UseKind : unsigned {
  use_store = 1,  ///< Otherwise a load.
  use_alone = 2,  ///< Before any other thread used the page.
  use_prefetched = 4,
  use_from_cache = 8,
};
inline constexpr unsigned use_kinds = 16;

/// The memory that all vCPUs' tables may have together; for several threads at once.
class UnitBudget {
 public:
  explicit UnitBudget(std::uint64_t bytes) : left_(bytes) {}
  [[nodiscard]] bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> left_;
};

class UnitCounts {
 public:
  static constexpr unsigned largest_shift = 21;

  struct Entry {
    std::array<std::uint64_t, use_kinds> uses{};  ///< By kind.
    std::uint64_t all = 0;                        ///< Their sum.
    std::uint64_t unit = 0;      ///< The virtual address, shifted by the unit's size.
    std::uint64_t physical = 0;  ///< Of the unit's first byte; 0: not known, or not contiguous.
    const FirstUsers::Page* alone = nullptr;  ///< While no other thread was seen to use it.
    std::uint64_t used_before = 0;            ///< The thread's misses before the first one here.
    std::uint32_t thread = 0;
    std::uint16_t node = 0;
    std::uint16_t page = 0;  ///< Of a unit of several pages, the one that was used first.
    [[nodiscard]] bool used() const { return all != 0; }
    void add(unsigned kind) {
      ++uses[kind];
      ++all;
    }
    void add(const Entry& other);
    /// Those whose kind has these bits.
    [[nodiscard]] std::uint64_t sum(unsigned bits) const;
  };

  /// Units of 1 << shift bytes. The budget outlives this, and so does `first`, which tells what was
  /// done to a page before other threads came; null: nobody wants that. pre: shift <=
  /// largest_shift.
  UnitCounts(unsigned shift, UnitBudget& budget, FirstUsers* first = nullptr)
      : wanted_shift_(shift), budget_(&budget), first_(first) {}

  /// Begins anew: everything at zero, units as small as was asked for.
  void clear();
  /// Counts a miss of a thread, which the caller numbers; `who` is that thread among all vCPUs'.
  void add(unsigned thread, const Miss& miss, const ThreadKey& who = {});

  /// The size of the units now: as asked for, or larger.
  [[nodiscard]] unsigned shift() const { return shift_; }
  /// Misses that found no place, as even the largest units are too many.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Some of them are not used().
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Whether the entries tell what was done alone.
  [[nodiscard]] bool tells_alone() const {
    return first_ != nullptr && shift_ <= FirstUsers::page_shift && !first_->given_up();
  }
  /// The virtual address that stands for an entry: the start of its unit, or of the page of it that
  /// was used first.
  [[nodiscard]] std::uint64_t address_of(const Entry& entry) const;

 private:
  [[nodiscard]] Entry& place_of(const Entry& wanted);
  bool make_room();
  void rebuild(std::vector<Entry> entries);
  void coarsen();

  unsigned wanted_shift_;
  unsigned shift_ = wanted_shift_;
  UnitBudget* budget_;
  FirstUsers* first_;
  std::size_t used_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<std::uint64_t> misses_;  ///< Of each thread.
  std::vector<Entry> entries_;  ///< Empty or a power of two; at most three quarters are used.
};

}  // namespace homenode::lab
