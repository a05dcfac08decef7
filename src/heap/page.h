// A page of the allocator: one or several slices of 64 KiB that hold blocks of one size, or one
// large block. Serves the allocator. At every moment a page is in one hand:
//   - leased: one thread takes from it and gives back to it without atomics;
//   - listed: it waits in the queue of the core heap that owns it, under that heap's lock;
//   - at large: every block is in use, so that nobody needs it. The first one who frees into it
//     becomes its holder.
// Anybody may push freed blocks on `remote` at any time, and only the holder takes them from there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "heap/hardening.h"
#include "heap/size_class.h"

namespace homenode::heap {

struct Thread;

enum class Kind : std::uint8_t { unused = 0, small, medium, large };

/// What everybody looks at and writes who frees a block is on another cache line than what the
/// holder writes with every block: the line of `remote` stays with the core that frees.
struct alignas(128) Page {
  /// `remote` of a page at large; otherwise it is the address of the first block of a list, and
  /// above it how many there are, so that who takes the list need not walk it.
  static constexpr std::uintptr_t at_large = 1;
  static constexpr unsigned remote_count_shift = 48;

  Atomic<Thread*> lease;          ///< Who has it leased, or null.
  Atomic<std::uintptr_t> remote;  ///< Freed by others.
  std::uint32_t block_bytes;      ///< Of a large one: unused.
  std::uint32_t last_thread;      ///< The number of the thread that leased it last.
  std::uint16_t capacity;         ///< Blocks that there is room for; 0 before it is set up.
  std::uint16_t heap;             ///< The core heap that it belongs to, by CPU.
  std::uint16_t back;             ///< Slices back to the page's first; that one is the page.
  std::uint8_t size_class;
  Kind kind;
  std::uint8_t slices;  ///< Of a medium one.

  alignas(64) Block* free;  ///< The holder's, as all that follows.
  Page* next;               ///< In a queue of the holder.
  Page* prev;
  std::uint32_t used;    ///< Blocks that are out, as the holder knows; see current_page_bias.
  std::uint16_t carved;  ///< Blocks that have been made. Of a large one: its slices.

  [[nodiscard]] Thread* leased_by() const { return lease.load_relaxed(); }
  /// What holds of a page between any two steps of its holder; and of slices that are in no page.
  /// pre: the caller holds the page, or the arena's lock where it is unused.
  [[nodiscard]] bool is_valid() const;
  void lease_to(Thread* thread) { lease.store_relaxed(thread); }
};
static_assert(sizeof(Page) == 128);

/// A thread's current page counts one block more than are out: it never becomes empty, so that a
/// free looks at one number to see that there is something else to do.
inline constexpr std::uint32_t current_page_bias = 1;

/// Takes a block. pre: the caller holds the page; page.free is not null.
inline void* pop(Page& page, Block* block) {
  Block* const next = next_of(block);
  __builtin_prefetch(next, 1);  // Another core may have it, who freed it.
  page.free = next;
  ++page.used;
  take_mark(block);
  return block;
}

/// The first byte of a page's memory.
inline char* memory_of(const Page& page);

/// In the hardened build, ends the program when no block that has been made starts there.
/// pre: the page is small or medium.
inline void check_start(const Page& page, const void* memory) {
  if (!hardened) return;
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(memory) - memory_of(page));
  if (offset % page.block_bytes != 0) die("not the start of a block", memory);
  if (offset / page.block_bytes >= page.carved) die("not a block in use", memory);
}

/// Gives a block back. pre: the caller holds the page. True when no block is out any more.
inline bool push(Page& page, void* memory) {
  check_start(page, memory);
  auto* const block = static_cast<Block*>(memory);
  check_taken(block);
  set_next(block, page.free);
  // The list is whole at every instant: the child of a fork may find it half-way.
  keep_order();
  page.free = block;
  return --page.used == 0;
}

/// Pushes `count` blocks, linked from the first to the last, on a page that the caller need not
/// hold. True when it was at large: the caller holds it from now on.
bool push_remote(Page& page, Block* first, Block* last, std::uint32_t count);
/// Takes what others have freed. pre: the caller holds the page. True when there is a free block.
bool collect(Page& page);
/// Makes more blocks of memory that has never been used. True when there is a free block.
bool carve(Page& page);
/// Gives a page up of which every block is out. False when something was freed meanwhile: the
/// caller still holds it. pre: page.free is null and all are carved.
bool let_go(Page& page);
/// Makes a page of a slice that was just taken.
void set_up(Page& page, unsigned size_class, unsigned heap);
/// Counts the blocks that are out by walking the list, where the count may be half-way.
void recount(Page& page);

}  // namespace homenode::heap
