#include "lab/plugin/first_users.h"

namespace homenode::lab {
namespace {

// Page numbers of 47-bit user addresses have 35 bits. Above them goes the page number of the root
// page table, which has fewer than 29 bits.
constexpr unsigned page_bits = 35;
static_assert(page_bits + FirstUsers::page_shift == 47);

}  // namespace

const FirstUsers::Page* FirstUsers::used_by(const ThreadKey& thread, std::uint64_t address) {
  const std::uint64_t page = address >> page_shift ^ (thread.cr3 >> page_shift) << page_bits;
  // Pages next to each other, which threads use at a time, are of different shards.
  Shard& shard = shards_[page % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  Page& found = shard.pages.try_emplace(page, thread).first->second;
  // Once another thread has come it stays so: the page of a thread that has ended may be in use.
  if (found.first != thread) found.others.store(true, std::memory_order_relaxed);
  return found.others.load(std::memory_order_relaxed) ? nullptr : &found;
}

/// No vCPU runs, so nobody holds a page's entry.
void FirstUsers::clear() {
  for (Shard& shard : shards_) shard.pages.clear();
  given_up_.store(false, std::memory_order_relaxed);
}

}  // namespace homenode::lab
