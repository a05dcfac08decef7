#include "heap/page.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

constexpr std::uintptr_t one_remote = std::uintptr_t{1} << Page::remote_count_shift;

Block* first_of(std::uintptr_t remote) {
  return reinterpret_cast<Block*>(remote & (one_remote - 1));  // NOLINT(performance-no-int-to-ptr)
}

/// Puts a list of blocks together with the page's own, which is mostly the shorter one.
void append(Page& page, Block* first, std::uint32_t count) {
  const std::uint32_t own = page.carved - (page.used < page.carved ? page.used : page.carved);
  const bool behind = own < count;
  Block* last = behind ? page.free : first;
  std::uint32_t steps = 0;
  for (Block* next = next_of(last); next != nullptr; next = next_of(last)) {
    last = next;
    if (hardened && ++steps > page.capacity) die("a free list runs in a circle", last);
  }
  set_next(last, behind ? first : page.free);
  if (!behind) page.free = first;
}

}  // namespace

bool push_remote(Page& page, Block* first, Block* last, std::uint32_t count) {
  const std::uintptr_t more = count * one_remote;
  std::uintptr_t seen = __atomic_load_n(&page.remote, __ATOMIC_RELAXED);
  std::uintptr_t wanted = 0;
  do {
    const std::uintptr_t list = seen == Page::at_large ? 0 : seen;
    set_next(last, first_of(list));
    wanted = reinterpret_cast<std::uintptr_t>(first) | ((list & ~(one_remote - 1)) + more);
    // Release: who takes the list sees its links and what was written into the blocks. Acquire: who
    // finds the page at large sees what its holder left.
  } while (!__atomic_compare_exchange_n(&page.remote, &seen, wanted, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  return seen == Page::at_large;
}

bool collect(Page& page) {
  if (__atomic_load_n(&page.remote, __ATOMIC_RELAXED) == 0) return page.free != nullptr;
  const std::uintptr_t remote =
      __atomic_exchange_n(&page.remote, std::uintptr_t{0}, __ATOMIC_ACQUIRE);
  Block* const first = first_of(remote);
  const auto count = static_cast<std::uint32_t>(remote >> Page::remote_count_shift);
  if (page.free == nullptr) {
    page.free = first;
  } else {
    append(page, first, count);
  }
  page.used -= count;
  __atomic_fetch_add(&owner_of(page).remote_frees, count, __ATOMIC_RELAXED);
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
