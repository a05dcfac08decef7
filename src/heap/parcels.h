// Blocks of others' pages that a thread has freed and not yet given back: a parcel for each of some
// pages, which goes to its page with one atomic instead of one for each block. Serves the
// allocator. The first block of a page goes back at once; what follows is put together. What a
// thread keeps from others in this way is less than 4 KiB in each of 64 small pages, until it frees
// more, allocates on another node, finds no memory, or ends.
#pragma once

#include <cstdint>

#include "heap/page.h"

namespace homenode::heap {

struct Parcel {
  Page* page;    ///< That the thread freed into last of those that share this place; or null.
  Block* first;  ///< Null: nothing is kept.
  Block* last;
  std::uint32_t count;
};

inline constexpr unsigned parcel_count = 64;
inline constexpr std::size_t parcel_bytes = 4 << 10;

/// Frees a block of a page that the thread does not hold, as a rule.
/// pre: the page is small or medium, and holds the block.
void release_remote(Thread& thread, Page& page, void* memory);
/// Gives back everything that a thread has kept, and forgets the pages.
void send_parcels(Thread& thread);
/// In the child of a fork: what a thread had kept that is gone, perhaps half-way.
void send_parcels_of_gone(Thread& thread);

}  // namespace homenode::heap
