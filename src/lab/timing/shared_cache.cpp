#include "lab/timing/shared_cache.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace homenode::lab {

/// A set, while its lock is held. The holder may be descheduled by the host, so waiting gives way.
class SharedCache::Locked {
 public:
  Locked(SharedCache& cache, Tag tag)
      : cache_(cache), wanted_(tag), index_(cache.index_of(tag)), head_(cache.heads_[index_]) {
    __builtin_prefetch(signatures());
    for (unsigned tries = 0; head_.lock.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > 16) ::sched_yield();
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { head_.lock.clear(std::memory_order_release); }

  /// Where a version of the line is; as many as there are ways: nowhere.
  [[nodiscard]] unsigned place_of_line() const {
    constexpr std::uint64_t ones = 0x0101010101010101;
    const std::uint64_t wanted = ones * cache_.signature_of(wanted_);
    for (unsigned first = 0; first < cache_.ways_; first += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, signatures() + first, sizeof eight);
      eight ^= wanted;
      // Bytes that are equal, and perhaps others above one of them.
      for (std::uint64_t equal = (eight - ones) & ~eight & (ones << 7U); equal != 0;
           equal &= equal - 1) {
        const unsigned place = first + static_cast<unsigned>(std::countr_zero(equal)) / 8;
        if (place < cache_.ways_ && plain(tags()[place]).line() == wanted_.line()) return place;
      }
    }
    return cache_.ways_;
  }
  [[nodiscard]] bool has_version(unsigned place) const {
    return place < cache_.ways_ && plain(tags()[place]).bits == wanted_.bits;
  }
  /// Makes the line of a place the newest.
  void touch(unsigned place) {
    const std::uint64_t tag = tags()[place];
    for (; place != head_.newest; place = before(place)) {
      tags()[place] = tags()[before(place)];
      signatures()[place] = signatures()[before(place)];
    }
    put(tag);
  }
  /// Puts the line in as the newest, in place of its older version or else of the oldest line.
  std::optional<Tag> insert(unsigned place, bool modified) {
    if (place < cache_.ways_) {
      touch(place);
    } else {
      head_.newest = static_cast<std::uint16_t>(before(head_.newest));
    }
    const std::uint64_t pushed_out = tags()[head_.newest];
    put(wanted_.bits | (modified ? modified_bit : 0));
    if (place < cache_.ways_ || pushed_out == empty || (pushed_out & modified_bit) == 0) {
      return std::nullopt;
    }
    return plain(pushed_out);
  }

 private:
  [[nodiscard]] static Tag plain(std::uint64_t bits) { return Tag(bits & ~modified_bit); }
  [[nodiscard]] unsigned before(unsigned place) const {
    return (place == 0 ? cache_.ways_ : place) - 1;
  }
  [[nodiscard]] std::uint64_t* tags() const { return cache_.tags_.data() + index_ * cache_.ways_; }
  [[nodiscard]] std::uint8_t* signatures() const {
    return cache_.bytes_.data() + index_ * cache_.signatures_;
  }
  void put(std::uint64_t tag) {
    tags()[head_.newest] = tag;
    signatures()[head_.newest] = cache_.signature_of(wanted_);
  }

  SharedCache& cache_;
  Tag wanted_;
  std::uint64_t index_;
  Head& head_;
};

SharedCache::SharedCache(std::uint64_t bytes, unsigned ways, unsigned line_bytes)
    : ways_(ways),
      signatures_((ways + 7) / 8 * 8),
      sets_(bytes / line_bytes / ways),
      set_mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      tags_(sets_ * ways, empty),
      bytes_(sets_ * signatures_),
      heads_(std::make_unique<Head[]>(sets_)) {}

bool SharedCache::find(Tag tag) {
  Locked set(*this, tag);
  const unsigned place = set.place_of_line();
  if (!set.has_version(place)) return false;
  set.touch(place);
  return true;
}

std::optional<Tag> SharedCache::insert(Tag tag, bool modified) {
  Locked set(*this, tag);
  return set.insert(set.place_of_line(), modified);
}

SharedCache::Lookup SharedCache::find_or_insert(Tag tag) {
  Locked set(*this, tag);
  const unsigned place = set.place_of_line();
  if (!set.has_version(place)) return {false, set.insert(place, false)};
  set.touch(place);
  return {true, std::nullopt};
}

void SharedCache::clear() {
  std::ranges::fill(tags_, empty);
}

}  // namespace homenode::lab
