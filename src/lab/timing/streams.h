// The prefetcher: tells misses that walk through memory in order from all others. It follows a few
// walks at a time, upwards or downwards, with a constant step of up to four lines. A walk is
// recognised after three equal steps: within one page, random misses often look like one step.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

namespace homenode::lab {

class Streams {
 public:
  /// Reports a miss of a line (by its virtual line number). True: it continues a walk, so it was
  /// asked for ahead of time. `since_ps` is then when the walk was recognised.
  bool follow(std::uint64_t line, std::uint64_t now_ps, std::uint64_t& since_ps) {
    for (Walk& walk : walks_) {
      const auto distance = static_cast<std::int64_t>(line - walk.last);
      // Lines that were in a cache are left out, so a step may come several at once.
      if (distance == 0 || std::llabs(distance) > 4 * max_step) continue;
      if (walk.steps < proof) {
        if (distance != walk.step && (walk.steps > 1 || std::llabs(distance) > max_step)) continue;
        const unsigned steps = distance == walk.step ? walk.steps + 1 : 1;
        walk = {line, distance, now_ps, ++clock_, steps};
        return false;
      }
      if (distance % walk.step != 0 || distance / walk.step < 0) continue;
      walk.last = line;
      walk.used = ++clock_;
      since_ps = walk.since_ps;
      return true;
    }
    Walk* oldest = walks_.data();
    for (Walk& walk : walks_) {
      if (walk.used < oldest->used) oldest = &walk;
    }
    *oldest = {line, 0, 0, ++clock_, 0};
    return false;
  }

  void clear() { *this = {}; }

 private:
  static constexpr std::int64_t max_step = 4;
  static constexpr unsigned proof = 3;
  struct Walk {
    std::uint64_t last = 0;
    std::int64_t step = 0;
    std::uint64_t since_ps = 0;
    std::uint64_t used = 0;
    unsigned steps = 0;  ///< Equal steps so far.
  };
  std::array<Walk, 16> walks_{};
  std::uint64_t clock_ = 0;
};

}  // namespace homenode::lab
