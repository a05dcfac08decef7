// A chunk: 64 MiB of address space at a multiple of 64 MiB, cut into slices. Serves the allocator.
// Its first slices are its description: which slices are free, and the page that each belongs to.
// From any address the chunk is found by clearing low bits, and whether there is one, by a table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/heap_header.h"
#include "heap/page.h"

namespace homenode::heap {

struct Arena;
struct Chunk;

inline constexpr unsigned chunk_shift = 26;
inline constexpr std::size_t chunk_bytes = std::size_t{1} << chunk_shift;
inline constexpr unsigned chunk_slices = chunk_bytes / slice_bytes;
inline constexpr unsigned first_slice = 8;    ///< Those before it are the description's.
inline constexpr unsigned largest_run = 512;  ///< In slices; what is larger has its own mapping.

/// One bit for each slice.
struct SliceSet {
  std::uint64_t words[chunk_slices / 64];

  [[nodiscard]] bool contains(unsigned i) const { return (words[i / 64] >> (i % 64) & 1U) != 0; }
  void set(unsigned first, unsigned count, bool value);
  [[nodiscard]] bool any(unsigned first, unsigned count) const;
  [[nodiscard]] unsigned count() const;
  /// The first run of members in [from, end), which has none at 0; 0 when there is none.
  [[nodiscard]] unsigned next_run(unsigned from, unsigned end, unsigned& length) const;
  /// How many members stand in a row around `count` of them, below `end`.
  [[nodiscard]] unsigned run_around(unsigned first, unsigned count, unsigned end) const;
};

/// A row of the tree over an arena's chunks; see chunk_list.h.
inline constexpr unsigned row_shift = 4;
inline constexpr unsigned row_width = 1U << row_shift;
inline constexpr unsigned row_levels = 3;
struct ChunkRow {
  std::uint16_t longest[row_width];  ///< The longest run of free slices in each member's group.
  Chunk* member[row_width];          ///< The chunk, or who heads the group.
};

struct Chunk {
  HeapHeader header;  ///< For those who look from outside; see sign().
  Arena* arena;
  Chunk* next;           ///< Of the same arena.
  std::uint32_t number;  ///< In the order of their coming.
  std::uint32_t slices;  ///< All of them, with those of the description.
  std::uint32_t free_count;
  std::uint32_t hint;  ///< No slice before it is free.
  SliceSet free;
  SliceSet dirty;  ///< Has been used since it was last given back to the system.
  SliceSet aged;   ///< Was free and dirty at the last tick.
  // Of chunk_list.h.
  Chunk* heads[row_levels];   ///< Who heads its group of each level.
  Chunk* next_group;          ///< Who heads the next one of the highest, where this one does so.
  ChunkRow rows[row_levels];  ///< Of the groups that it heads.

  [[nodiscard]] Page& page(unsigned slice) { return reinterpret_cast<Page*>(this)[slice]; }
  [[nodiscard]] char* memory(unsigned slice) {
    return reinterpret_cast<char*>(this) + slice * slice_bytes;
  }
  /// The first of `count` free slices at a multiple of `alignment` slices, in the tightest run that
  /// has them; for one, in the first. 0 when there are none.
  [[nodiscard]] unsigned find(unsigned count, unsigned alignment) const;
  [[nodiscard]] unsigned longest_run() const;
  /// Whether the counts are those of the sets. pre: the arena's lock is held.
  [[nodiscard]] bool is_valid() const;
};
static_assert(sizeof(Chunk) <= first_slice * sizeof(Page));
static_assert(chunk_bytes == heap_header_step);

/// What stands at an address, by its multiple of 64 MiB.
enum class Ground : std::uint8_t { foreign = 0, chunk, huge };

inline constexpr unsigned address_bits = 47;
inline constexpr std::size_t ground_count = std::size_t{1} << (address_bits - chunk_shift);
/// Read as plain values: who has a block has seen its memory come.
extern constinit Ground grounds[ground_count];
inline constexpr std::size_t grounds_page = 4096;
/// Before the first is set: no huge page is to hold the table.
void keep_grounds_small();

inline void set_ground(std::size_t index, Ground ground) {
  publish(grounds[index], ground);
}

inline Ground ground_of(const void* address) {
  const std::uintptr_t index = reinterpret_cast<std::uintptr_t>(address) >> chunk_shift;
  if (index >= ground_count) [[unlikely]]
    return Ground::foreign;
  return grounds[index];
}

/// The description of the slice that an address is in, which is the page's where that is its
/// first. pre: ground_of(address) is a chunk.
inline Page& slice_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto* const slices = reinterpret_cast<Page*>(at & ~(chunk_bytes - 1));  // NOLINT
  return slices[(at & (chunk_bytes - 1)) / slice_bytes];
}

inline Page& page_of(Page& slice) {
  return *(&slice - slice.back);
}

/// pre: ground_of(address) is a chunk.
inline Page& page_of(const void* address) {
  return page_of(slice_at(address));
}

inline Chunk& chunk_of(const Page& page) {
  const auto at = reinterpret_cast<std::uintptr_t>(&page);
  return *reinterpret_cast<Chunk*>(at & ~(chunk_bytes - 1));  // NOLINT(performance-no-int-to-ptr)
}

inline unsigned slice_of(const Page& page) {
  return static_cast<unsigned>(&page - &chunk_of(page).page(0));
}

inline char* memory_of(const Page& page) {
  return chunk_of(page).memory(slice_of(page));
}

}  // namespace homenode::heap
