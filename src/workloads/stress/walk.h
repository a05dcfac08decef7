// The daemon stress test: what the threads do to a block of memory, and how its content shows that
// no page was lost or mixed up on the way from node to node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace homenode::workloads::stress {

/// A block: words of 8 bytes, those at multiples of `stride_words` being the ones that are used.
struct Block {
  std::span<std::uint64_t> words;
  std::size_t page_words = 512;
  std::size_t stride_words = 8;  ///< Divides page_words.
  std::uint64_t number = 0;      ///< Its content is its own.
};

/// Writes one byte to each page of new, zero memory: its first touch.
void touch_first(const Block& block);

/// Loads every used word of the pages [first, first + count); their sum, which wraps.
std::uint64_t read_pages(const Block& block, std::size_t first, std::size_t count);
/// What read_pages() gives as long as nobody wrote.
std::uint64_t expected_sum(const Block& block, std::size_t first, std::size_t count);

/// Adds 1 to every used word of these pages; other threads may do the same at the same time.
void add_to_pages(const Block& block, std::size_t first, std::size_t count);

/// Words, used or not, that are not what touch_first() and `additions` walks over it have left.
std::size_t wrong_words(const Block& block, std::uint64_t additions);

}  // namespace homenode::workloads::stress
