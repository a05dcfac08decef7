#include "heap/chunk.h"

#include <bit>

#include "heap/system.h"

namespace homenode::heap {
namespace {

/// The bits [first, first + count) of a word. pre: they are within it.
std::uint64_t bits(unsigned first, unsigned count) {
  const std::uint64_t all = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return all << first;
}

/// Calls visit(word, mask) for each word that a range of bits has a part in.
template <class Visit>
void for_words(unsigned first, unsigned count, Visit visit) {
  while (count > 0) {
    const unsigned at = first % 64;
    const unsigned part = count < 64 - at ? count : 64 - at;
    visit(first / 64, bits(at, part));
    first += part;
    count -= part;
  }
}

}  // namespace

alignas(grounds_page) constinit Ground grounds[ground_count] = {};

void keep_grounds_small() {
  // Of two MiB a program uses some bytes: a huge page would be all of them.
  (void)system::use_small_pages(grounds, sizeof grounds);
}

void SliceSet::set(unsigned first, unsigned count, bool value) {
  for_words(first, count, [&](unsigned word, std::uint64_t mask) {
    words[word] = value ? words[word] | mask : words[word] & ~mask;
  });
}

bool SliceSet::any(unsigned first, unsigned count) const {
  std::uint64_t sum = 0;
  for_words(first, count, [&](unsigned word, std::uint64_t mask) { sum |= words[word] & mask; });
  return sum != 0;
}

unsigned SliceSet::count() const {
  unsigned sum = 0;
  for (const std::uint64_t word : words) sum += static_cast<unsigned>(std::popcount(word));
  return sum;
}

unsigned SliceSet::next_run(unsigned from, unsigned end, unsigned& length) const {
  unsigned i = from;
  while (i < end) {
    const std::uint64_t rest = words[i / 64] >> (i % 64);
    if (rest != 0) break;
    i = (i / 64 + 1) * 64;
  }
  if (i >= end) return 0;
  i += static_cast<unsigned>(std::countr_zero(words[i / 64] >> (i % 64)));
  unsigned behind = i;
  while (behind < end) {
    const auto ones = static_cast<unsigned>(std::countr_one(words[behind / 64] >> (behind % 64)));
    behind += ones;
    if (ones == 0 || behind % 64 != 0) break;
  }
  length = behind - i;
  return i;
}

unsigned SliceSet::run_around(unsigned first, unsigned count, unsigned end) const {
  unsigned begin = first;
  while (begin > 0) {
    const unsigned at = (begin - 1) % 64;
    const auto ones = static_cast<unsigned>(std::countl_one(words[(begin - 1) / 64] << (63 - at)));
    begin -= ones;
    if (ones <= at) break;
  }
  unsigned behind = first + count;
  while (behind < end) {
    const auto ones = static_cast<unsigned>(std::countr_one(words[behind / 64] >> (behind % 64)));
    behind += ones;
    if (ones == 0 || behind % 64 != 0) break;
  }
  return behind - begin;
}

bool Chunk::is_valid() const {
  if (arena == nullptr || slices <= first_slice || slices > chunk_slices) return false;
  if (hint < first_slice || free.count() != free_count) return false;
  const bool before = free.any(0, hint < slices ? hint : slices);
  const bool behind = slices < chunk_slices && free.any(slices, chunk_slices - slices);
  return !before && !behind;
}

unsigned Chunk::longest_run() const {
  unsigned longest = 0;
  unsigned length = 0;
  for (unsigned gap = free.next_run(hint, slices, length); gap != 0;
       gap = free.next_run(gap + length, slices, length)) {
    if (length > longest) longest = length;
  }
  return longest;
}

unsigned Chunk::find(unsigned count, unsigned alignment) const {
  unsigned best = 0;
  unsigned best_length = ~0U;
  unsigned length = 0;
  for (unsigned gap = free.next_run(hint, slices, length); gap != 0;
       gap = free.next_run(gap + length, slices, length)) {
    const unsigned start = (gap + alignment - 1) / alignment * alignment;
    if (start + count > gap + length || length >= best_length) continue;
    best = start;
    best_length = length;
    if (count == 1 || length == count) break;
  }
  return best;
}

}  // namespace homenode::heap
