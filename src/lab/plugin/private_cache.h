// A model of one vCPU's private cache: set-associative, exact LRU, write-allocate, tags only. It
// stands in front of address translation, so it is looked up by virtual line, as every access must
// pass through it. Two names of one physical line therefore count as two lines.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/plugin/arguments.h"

namespace homenode::lab {

class PrivateCache {
 public:
  /// An empty cache. shape.bytes = 0: nothing is ever held, every touch misses.
  explicit PrivateCache(const CacheShape& shape);

  /// Touches a line (a line number, not an address) and says whether it was held. A line that was
  /// not held replaces the least recently used one of its set.
  bool touch(std::uint64_t line) {
    const std::uint64_t set = set_of(line);
    std::uint64_t* const tags = tags_.data() + set * ways_;
    std::uint32_t& newest = newest_[set];
    return tags[newest] == line || touch_older(tags, newest, line);
  }

  /// False: no cache, no line is ever held.
  [[nodiscard]] bool holds_lines() const { return ways_ != 0; }

  /// Lines whose numbers differ modulo this are of different sets; a power of two.
  [[nodiscard]] std::uint64_t aligned_sets() const { return set_mask_ + 1; }

  /// Forgets everything: a cold cache.
  void clear();

 private:
  [[nodiscard]] std::uint64_t set_of(std::uint64_t line) const {
    return set_mask_ != 0 ? line & set_mask_ : line % sets_;
  }
  bool touch_older(std::uint64_t* tags, std::uint32_t& newest, std::uint64_t line);

  std::uint64_t sets_ = 1;
  std::uint64_t set_mask_ = 0;  ///< sets - 1 when sets is a power of two above 1, else 0.
  unsigned ways_ = 0;
  // Each set is a ring in order of use: the newest, then (upwards, around the end) ever older ones.
  // A miss thus turns the ring by one instead of moving every tag.
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint32_t> newest_;  ///< Per set, the newest one's place in the ring.
};

}  // namespace homenode::lab
