#include "lab/timing/tag_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace homenode::lab {

TagCache::TagCache(std::uint64_t bytes, unsigned ways, unsigned line_bytes)
    : ways_(ways),
      sets_(bytes / line_bytes / ways),
      set_mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      tags_(sets_ * ways, empty) {}

/// pre: neither of the set's two newest is the tag.
bool TagCache::find_older(std::uint64_t* set, Tag tag) const {
  unsigned way = 2;
  while (way < ways_ && set[way] != tag.bits) ++way;
  if (way >= ways_) return false;
  std::memmove(set + 1, set, way * sizeof *set);
  set[0] = tag.bits;
  return true;
}

std::optional<Tag> TagCache::insert(Tag tag) {
  std::uint64_t* const set = set_of(tag);
  const std::uint64_t oldest = set[ways_ - 1];
  std::memmove(set + 1, set, (ways_ - 1) * sizeof *set);
  set[0] = tag.bits;
  if (oldest == empty) return std::nullopt;
  return Tag(oldest);
}

void TagCache::remove(Tag tag) {
  std::uint64_t* const set = set_of(tag);
  std::uint64_t* const place = std::find(set, set + ways_, tag.bits);
  if (place == set + ways_) return;
  std::memmove(place, place + 1, static_cast<std::size_t>(set + ways_ - place - 1) * sizeof *set);
  set[ways_ - 1] = empty;
}

void TagCache::clear() {
  std::ranges::fill(tags_, empty);
}

}  // namespace homenode::lab
