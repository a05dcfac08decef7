#include "lab/plugin/private_cache.h"

#include <algorithm>
#include <bit>

namespace homenode::lab {
namespace {

// No line has this number: virtual line numbers lack their upper bits.
constexpr std::uint64_t no_line = ~std::uint64_t{0};

/// Where the line is among `ways` tags, or `ways`. The places after `newest` come first, as loops
/// over a few arrays hit there; then four at a time, as most other calls find nothing.
unsigned find(const std::uint64_t* tags, unsigned ways, unsigned newest, std::uint64_t line) {
  for (unsigned place = newest + 1; place < ways && place < newest + 4; ++place) {
    if (tags[place] == line) return place;
  }
  unsigned place = 0;
  for (; place + 4 <= ways; place += 4) {
    const std::uint64_t* const four = tags + place;
    const bool first_two = (four[0] == line) | (four[1] == line);
    const bool last_two = (four[2] == line) | (four[3] == line);
    if (first_two | last_two) break;
  }
  while (place < ways && tags[place] != line) ++place;
  return place;
}

}  // namespace

PrivateCache::PrivateCache(const CacheShape& shape) : ways_(shape.bytes == 0 ? 0 : shape.ways) {
  if (ways_ != 0) sets_ = shape.bytes / shape.line_bytes / ways_;
  if (std::has_single_bit(sets_)) set_mask_ = sets_ - 1;
  tags_.assign(std::max<std::uint64_t>(sets_ * ways_, 1), no_line);
  newest_.assign(sets_, 0);
}

bool PrivateCache::touch_older(std::uint64_t* tags, std::uint32_t& newest, std::uint64_t line) {
  if (ways_ == 0) return false;
  const auto before = [this](unsigned place) { return (place == 0 ? ways_ : place) - 1; };
  unsigned place = find(tags, ways_, newest, line);
  const bool held = place < ways_;
  if (held) {
    for (; place != newest; place = before(place)) tags[place] = tags[before(place)];
  } else {
    newest = before(newest);
  }
  tags[newest] = line;
  return held;
}

void PrivateCache::clear() {
  std::ranges::fill(tags_, no_line);
  std::ranges::fill(newest_, 0U);
}

}  // namespace homenode::lab
