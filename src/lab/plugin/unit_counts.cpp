#include "lab/plugin/unit_counts.h"

#include <algorithm>
#include <utility>

namespace homenode::lab {
namespace {

constexpr unsigned small_page_shift = 12;
constexpr std::size_t first_entries = 1024;

std::uint64_t hash_of(const UnitCounts::Entry& entry) {
  // Multiplicative hashing by odd numbers near the golden ratio; its upper bits are the good ones.
  const std::uint64_t which = std::uint64_t{entry.thread} << 16U | entry.node;
  const std::uint64_t mixed =
      (entry.unit ^ which * 0xbf58476d1ce4e5b9U) * std::uint64_t{0x9e3779b97f4a7c15U};
  return mixed ^ mixed >> 32U;
}

unsigned kind_of(const Miss& miss) {
  return (miss.store ? use_store : 0U) | (miss.prefetched ? use_prefetched : 0U) |
         (miss.from_cache ? use_from_cache : 0U);
}

/// What a table takes of the budget. Each vCPU may have a small one.
std::uint64_t charged_bytes(std::size_t entries) {
  return entries <= first_entries ? 0 : entries * sizeof(UnitCounts::Entry);
}

}  // namespace

bool UnitBudget::take(std::uint64_t bytes) {
  std::uint64_t left = left_.load(std::memory_order_relaxed);
  do {
    if (left < bytes) return false;
  } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
  return true;
}

void UnitCounts::Entry::add(const Entry& other) {
  for (unsigned kind = 0; kind < use_kinds; ++kind) uses[kind] += other.uses[kind];
  all += other.all;
}

std::uint64_t UnitCounts::Entry::sum(unsigned bits) const {
  std::uint64_t found = 0;
  for (unsigned kind = 0; kind < use_kinds; ++kind) {
    if ((kind & bits) == bits) found += uses[kind];
  }
  return found;
}

void UnitCounts::clear() {
  budget_->give_back(charged_bytes(entries_.size()));
  entries_ = {};
  used_ = 0;
  lost_ = 0;
  misses_.clear();
  shift_ = wanted_shift_;
}

std::uint64_t UnitCounts::address_of(const Entry& entry) const {
  return (entry.unit << shift_) + (std::uint64_t{entry.page} << small_page_shift);
}

UnitCounts::Entry& UnitCounts::place_of(const Entry& wanted) {
  const std::uint64_t mask = entries_.size() - 1;
  for (std::uint64_t at = hash_of(wanted);; ++at) {
    Entry& entry = entries_[at & mask];
    if (!entry.used()) return entry;
    if (entry.unit == wanted.unit && entry.thread == wanted.thread && entry.node == wanted.node) {
      return entry;
    }
  }
}

void UnitCounts::add(unsigned thread, const Miss& miss, const ThreadKey& who) {
  if (thread >= misses_.size()) misses_.resize(thread + 1);
  Entry wanted;
  wanted.used_before = misses_[thread]++;
  wanted.unit = miss.address >> shift_;
  wanted.thread = thread;
  wanted.node = static_cast<std::uint16_t>(miss.node);
  Entry* entry = entries_.empty() ? nullptr : &place_of(wanted);
  if (entry == nullptr || !entry->used()) {
    if (!make_room()) {
      ++lost_;
      return;
    }
    // Room may have been made by larger units.
    const std::uint64_t offset = miss.address & ((std::uint64_t{1} << shift_) - 1);
    wanted.unit = miss.address >> shift_;
    wanted.page = static_cast<std::uint16_t>(offset >> small_page_shift);
    if (miss.physical != 0 && shift_ <= small_page_shift) wanted.physical = miss.physical - offset;
    entry = &place_of(wanted);
    if (!entry->used()) {
      if (tells_alone()) wanted.alone = first_->used_by(who, miss.address);
      *entry = wanted;
      ++used_;
    }
  }
  if (entry->alone != nullptr && entry->alone->others.load(std::memory_order_relaxed)) {
    entry->alone = nullptr;
  }
  entry->add(kind_of(miss) | (entry->alone != nullptr ? use_alone : 0U));
}

/// Room for one more entry. False: there is none, whatever the size of the units.
bool UnitCounts::make_room() {
  while ((used_ + 1) * 4 > entries_.size() * 3) {
    const std::size_t more = std::max(first_entries, 2 * entries_.size());
    // Both tables are there for a moment, which nobody counts.
    if (budget_->take(charged_bytes(more) - charged_bytes(entries_.size()))) {
      rebuild(std::vector<Entry>(more));
    } else if (shift_ < largest_shift) {
      coarsen();
    } else {
      return false;
    }
  }
  return true;
}

/// Puts what was counted into other entries. Those of one unit come together.
void UnitCounts::rebuild(std::vector<Entry> entries) {
  std::swap(entries, entries_);
  used_ = 0;
  for (const Entry& old : entries) {
    if (!old.used()) continue;
    Entry& entry = place_of(old);
    if (!entry.used()) {
      entry = old;
      ++used_;
    } else {
      entry.add(old);
      entry.used_before = std::min(entry.used_before, old.used_before);
      if (old.alone == nullptr) entry.alone = nullptr;
    }
  }
}

/// Makes units larger until half of the table is free, or they are as large as they may be.
void UnitCounts::coarsen() {
  do {
    for (Entry& entry : entries_) {
      const std::uint64_t address = address_of(entry);
      const std::uint64_t odd_half = (entry.unit & 1U) << shift_;
      entry.unit >>= 1U;
      const unsigned larger = shift_ + 1;
      const std::uint64_t offset = address & ((std::uint64_t{1} << larger) - 1);
      entry.page = static_cast<std::uint16_t>(offset >> small_page_shift);
      if (larger > small_page_shift) entry.physical = 0;
      if (entry.physical != 0) entry.physical -= odd_half;
    }
    ++shift_;
    if (first_ != nullptr && shift_ > FirstUsers::page_shift) first_->give_up();
    rebuild(std::vector<Entry>(entries_.size()));
  } while (used_ * 2 > entries_.size() && shift_ < largest_shift);
}

}  // namespace homenode::lab
