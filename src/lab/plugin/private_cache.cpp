#include "lab/plugin/private_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace homenode::lab {
namespace {

// No line has this number: virtual line numbers lack their upper bits.
constexpr std::uint64_t no_line = ~std::uint64_t{0};

}  // namespace

PrivateCache::PrivateCache(const CacheShape& shape) : ways_(shape.bytes == 0 ? 0 : shape.ways) {
  if (ways_ != 0) sets_ = shape.bytes / shape.line_bytes / ways_;
  if (std::has_single_bit(sets_)) set_mask_ = sets_ - 1;
  tags_.assign(std::max<std::uint64_t>(sets_ * ways_, 1), no_line);
}

bool PrivateCache::touch_older(std::uint64_t* set, std::uint64_t line) {
  if (ways_ == 0) return false;
  const unsigned last = ways_ - 1;
  unsigned way = 1;
  while (way < last && set[way] != line) ++way;
  const bool held = ways_ > 1 && set[way] == line;
  if (ways_ > 1) std::memmove(set + 1, set, way * sizeof *set);
  *set = line;
  return held;
}

void PrivateCache::clear() { std::ranges::fill(tags_, no_line); }

}  // namespace homenode::lab
