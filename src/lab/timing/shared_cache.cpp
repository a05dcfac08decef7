#include "lab/timing/shared_cache.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace homenode::lab {

/// Holds a set's lock. The holder may be descheduled by the host, so waiting gives way.
class SharedCache::Locked {
 public:
  explicit Locked(std::atomic_flag& flag) : flag_(flag) {
    for (unsigned tries = 0; flag_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > 16) ::sched_yield();
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

SharedCache::SharedCache(std::uint64_t bytes, unsigned ways, unsigned line_bytes)
    : ways_(ways),
      sets_(bytes / line_bytes / ways),
      set_mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      tags_(sets_ * ways, empty),
      locks_(std::make_unique<std::atomic_flag[]>(sets_)) {}

bool SharedCache::find_in(std::uint64_t* set, Tag tag) const {
  for (unsigned way = 0; way < ways_; ++way) {
    const std::uint64_t found = set[way];
    if ((found & ~modified_bit) != tag.bits) continue;
    std::memmove(set + 1, set, way * sizeof *set);
    set[0] = found;
    return true;
  }
  return false;
}

std::optional<Tag> SharedCache::insert_in(std::uint64_t* set, Tag tag, bool modified) const {
  unsigned way = 0;
  while (way + 1 < ways_ && Tag(set[way] & ~modified_bit).line() != tag.line()) ++way;
  const std::uint64_t pushed_out = set[way];
  std::memmove(set + 1, set, way * sizeof *set);
  set[0] = tag.bits | (modified ? modified_bit : 0);
  const Tag victim(pushed_out & ~modified_bit);
  if (pushed_out == empty || (pushed_out & modified_bit) == 0 || victim.line() == tag.line()) {
    return std::nullopt;
  }
  return victim;
}

bool SharedCache::find(Tag tag) {
  const std::uint64_t index = index_of(tag);
  const Locked locked(locks_[index]);
  return find_in(tags_.data() + index * ways_, tag);
}

std::optional<Tag> SharedCache::insert(Tag tag, bool modified) {
  const std::uint64_t index = index_of(tag);
  const Locked locked(locks_[index]);
  return insert_in(tags_.data() + index * ways_, tag, modified);
}

SharedCache::Lookup SharedCache::find_or_insert(Tag tag) {
  const std::uint64_t index = index_of(tag);
  std::uint64_t* const set = tags_.data() + index * ways_;
  const Locked locked(locks_[index]);
  if (find_in(set, tag)) return {true, std::nullopt};
  return {false, insert_in(set, tag, false)};
}

void SharedCache::clear() {
  std::ranges::fill(tags_, empty);
}

}  // namespace homenode::lab
