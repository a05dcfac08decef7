#include "workloads/stress/walk.h"

#include <array>
#include <atomic>
#include <bit>

namespace homenode::workloads::stress {
namespace {

/// The byte that a page is touched with, never 0; neighbours differ, and so do blocks.
unsigned char stamp(const Block& block, std::size_t page) {
  return static_cast<unsigned char>(1 + (page * 7 + block.number * 31) % 251);
}

/// A page's first word after its first byte was written.
std::uint64_t stamped_word(const Block& block, std::size_t page) {
  return std::bit_cast<std::uint64_t>(std::array<unsigned char, 8>{stamp(block, page)});
}

std::size_t pages_of(const Block& block) {
  return block.words.size() / block.page_words;
}

}  // namespace

void touch_first(const Block& block) {
  for (std::size_t page = 0; page < pages_of(block); ++page) {
    // A byte, as the study has it; volatile, so that it is written here and now.
    auto* const byte =
        reinterpret_cast<volatile unsigned char*>(&block.words[page * block.page_words]);
    *byte = stamp(block, page);
  }
}

std::uint64_t read_pages(const Block& block, std::size_t first, std::size_t count) {
  std::uint64_t sum = 0;
  const std::size_t end = (first + count) * block.page_words;
  for (std::size_t i = first * block.page_words; i < end; i += block.stride_words) {
    sum += std::atomic_ref(block.words[i]).load(std::memory_order_relaxed);
  }
  return sum;
}

std::uint64_t expected_sum(const Block& block, std::size_t first, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t page = first; page < first + count; ++page) sum += stamped_word(block, page);
  return sum;
}

void add_to_pages(const Block& block, std::size_t first, std::size_t count) {
  const std::size_t end = (first + count) * block.page_words;
  for (std::size_t i = first * block.page_words; i < end; i += block.stride_words) {
    std::atomic_ref(block.words[i]).fetch_add(1, std::memory_order_relaxed);
  }
}

std::size_t wrong_words(const Block& block, std::uint64_t additions) {
  std::size_t wrong = 0;
  for (std::size_t page = 0; page < pages_of(block); ++page) {
    for (std::size_t word = 0; word < block.page_words; ++word) {
      std::uint64_t expected = word == 0 ? stamped_word(block, page) : 0;
      if (word % block.stride_words == 0) expected += additions;
      if (block.words[page * block.page_words + word] != expected) wrong += 1;
    }
  }
  return wrong;
}

}  // namespace homenode::workloads::stress
