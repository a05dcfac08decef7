#include "heap/page.h"

#include "heap/chunk.h"

namespace homenode::heap {

bool push_remote(Page& page, void* memory) {
  auto* const block = static_cast<Block*>(memory);
  check_taken(block);
  std::uintptr_t seen = __atomic_load_n(&page.remote, __ATOMIC_RELAXED);
  do {
    set_next(block, seen == Page::at_large
                        ? nullptr
                        : reinterpret_cast<Block*>(seen));  // NOLINT(performance-no-int-to-ptr)
  } while (!__atomic_compare_exchange_n(&page.remote, &seen,
                                        reinterpret_cast<std::uintptr_t>(block), true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return seen == Page::at_large;
}

bool collect(Page& page) {
  if (__atomic_load_n(&page.remote, __ATOMIC_RELAXED) == 0) return page.free != nullptr;
  auto* const first = reinterpret_cast<Block*>(  // NOLINT(performance-no-int-to-ptr)
      __atomic_exchange_n(&page.remote, std::uintptr_t{0}, __ATOMIC_ACQUIRE));
  std::uint32_t count = 1;
  Block* last = first;
  for (Block* next = next_of(last); next != nullptr; next = next_of(last)) {
    last = next;
    ++count;
    if (hardened && count > page.capacity) die("a free list runs in a circle", last);
  }
  set_next(last, page.free);
  page.free = first;
  page.used -= count;
  return true;
}

bool carve(Page& page) {
  constexpr std::size_t step_bytes = 4 << 10;  // No more memory than asked for becomes present.
  const unsigned left = page.capacity - page.carved;
  if (left == 0) return page.free != nullptr;
  unsigned count = static_cast<unsigned>(step_bytes / page.block_bytes);
  if (count == 0) count = 1;
  if (count > left) count = left;
  char* const first = memory_of(page) + std::size_t{page.carved} * page.block_bytes;
  Block* next = page.free;
  for (unsigned i = count; i-- > 0;) {
    auto* const block = reinterpret_cast<Block*>(first + std::size_t{i} * page.block_bytes);
    set_next(block, next);
    next = block;
  }
  page.carved = static_cast<std::uint16_t>(page.carved + count);
  __asm__ volatile("" ::: "memory");
  page.free = next;
  return true;
}

bool let_go(Page& page) {
  page.used = page.capacity;
  page.lease_to(nullptr);
  std::uintptr_t none = 0;
  return __atomic_compare_exchange_n(&page.remote, &none, Page::at_large, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED);
}

void set_up(Page& page, unsigned size_class, unsigned heap) {
  const std::size_t bytes = page.kind == Kind::small ? slice_bytes : page.slices * slice_bytes;
  page.free = nullptr;
  page.next = page.prev = nullptr;
  page.used = 0;
  page.block_bytes = static_cast<std::uint32_t>(compute_bytes(size_class));
  page.carved = 0;
  page.size_class = static_cast<std::uint8_t>(size_class);
  page.heap = static_cast<std::uint16_t>(heap);
  __atomic_store_n(&page.remote, std::uintptr_t{0}, __ATOMIC_RELAXED);
  __asm__ volatile("" ::: "memory");  // The last of all: see `capacity`.
  page.capacity = static_cast<std::uint16_t>(bytes / page.block_bytes);
}

void recount(Page& page) {
  std::uint32_t count = 0;
  for (const Block* block = page.free; block != nullptr; block = next_of(block)) ++count;
  page.used = page.carved - count;
}

}  // namespace homenode::heap
