// Free blocks and what guards them. Serves the allocator. A hardened build (HN_HEAP_HARDENED) keeps
// the links of free lists in code, so that an overwritten one is seen before it is followed, and
// marks free blocks, so that a second free is seen. In the plain build all of it is nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::heap {

struct Block {
  std::uintptr_t next;
  std::uintptr_t mark;  ///< Only in the hardened build.
};

/// Before the first block is made.
void draw_secret();
/// Says what the program did wrong on stderr and aborts.
[[noreturn]] void die(const char* what, const void* address);
/// Of a huge block: the hardened build knows a second free of it. Before its memory is given up.
void remember_freed(void* memory);
/// Ends the program when a foreign block is a huge one that was freed.
void check_not_freed(void* memory);

/// In a debug build, ends the program where a description is not as it must be: at the borders of
/// the data structures, by their is_valid().
template <class Description>
void assert_valid([[maybe_unused]] const Description& description) {
#if !defined(NDEBUG)
  if (!description.is_valid()) die("corrupt metadata", &description);
#endif
}

#if defined(HN_HEAP_HARDENED)

inline constexpr bool hardened = true;
extern constinit std::uintptr_t secret;  ///< Of this process.

inline std::uintptr_t code(const Block* block) {
  return secret ^ (reinterpret_cast<std::uintptr_t>(block) >> 4U);
}
inline Block* next_of(const Block* block) {
  const std::uintptr_t next = block->next ^ code(block);
  if (block->mark != ~code(block) || next % 16 != 0 || next >> 47U != 0) {
    die("written to after it was freed", block);
  }
  return reinterpret_cast<Block*>(next);  // NOLINT(performance-no-int-to-ptr)
}
inline void set_next(Block* block, const Block* next) {
  block->next = reinterpret_cast<std::uintptr_t>(next) ^ code(block);
  block->mark = ~code(block);
}
inline void take_mark(Block* block) {
  block->mark = 0;
}
/// Before a block is put on a list: only a free one has its mark.
inline void check_taken(const Block* block) {
  if (block->mark == ~code(block)) die("freed twice", block);
}

#else

inline constexpr bool hardened = false;

inline Block* next_of(const Block* block) {
  return reinterpret_cast<Block*>(block->next);  // NOLINT(performance-no-int-to-ptr)
}
inline void set_next(Block* block, const Block* next) {
  block->next = reinterpret_cast<std::uintptr_t>(next);
}
inline void take_mark(Block* /*block*/) {}
inline void check_taken(const Block* /*block*/) {}

#endif

}  // namespace homenode::heap
