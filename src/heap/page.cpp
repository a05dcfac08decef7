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
    if (hardened && ++steps > page.capacity) die("a free list has a cycle", last);
  }
  set_next(last, behind ? first : page.free);
  if (!behind) page.free = first;
}

}  // namespace

bool Page::is_valid() const {
  if (kind == Kind::unused) return leased_by() == nullptr;
  if (back != 0) return false;  // It would be within another page.
  if (kind == Kind::large) return carved >= 1 && leased_by() == nullptr;
  if (kind == Kind::medium && slices < 1) return false;
  if (capacity == 0) return leased_by() == nullptr;  // Not set up yet, or a spare.
  const std::size_t bytes = kind == Kind::small ? slice_bytes : slices * slice_bytes;
  return size_class < class_count && block_bytes == compute_bytes(size_class) &&
         capacity == bytes / block_bytes && carved <= capacity &&
         used <= capacity + current_page_bias;
}

bool push_remote(Page& page, Block* first, Block* last, std::uint32_t count) {
  const std::uintptr_t more = count * one_remote;
  std::uintptr_t seen = page.remote.load_relaxed();
  std::uintptr_t wanted = 0;
  do {
    const std::uintptr_t list = seen == Page::at_large ? 0 : seen;
    set_next(last, first_of(list));
    wanted = reinterpret_cast<std::uintptr_t>(first) | ((list & ~(one_remote - 1)) + more);
    // Release: who takes the list sees its links and what was written into the blocks. Acquire: who
    // finds the page at large sees what its holder left.
  } while (!page.remote.replace_acquire_release(seen, wanted));
  return seen == Page::at_large;
}

bool collect(Page& page) {
  if (page.remote.load_relaxed() == 0) return page.free != nullptr;
  const std::uintptr_t remote = page.remote.exchange_acquire(0);
  Block* const first = first_of(remote);
  const auto count = static_cast<std::uint32_t>(remote >> Page::remote_count_shift);
  if (page.free == nullptr) {
    page.free = first;
  } else {
    append(page, first, count);
  }
  page.used -= count;
  owner_of(page).remote_frees.add_relaxed(count);
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
  keep_order();
  page.free = next;
  return true;
}

bool let_go(Page& page) {
  page.used = page.capacity;
  page.lease_to(nullptr);
  std::uintptr_t none = 0;
  return page.remote.replace_release(none, Page::at_large);
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
  page.remote.store_relaxed(std::uintptr_t{0});
  keep_order();  // The last of all: see `capacity`.
  page.capacity = static_cast<std::uint16_t>(bytes / page.block_bytes);
  assert_valid(page);
}

void recount(Page& page) {
  std::uint32_t count = 0;
  for (const Block* block = page.free; block != nullptr; block = next_of(block)) ++count;
  page.used = page.carved - count;
}

}  // namespace homenode::heap
