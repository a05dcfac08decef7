#include "lab/plugin/vcpu_account.h"

#include <algorithm>

namespace homenode::lab {
namespace {

// Line numbers of 47-bit user addresses have 41 bits; the page number of the root page table goes
// above them and meets no other address space's up to 16 GiB of guest memory. The kernel's line
// numbers have bit 41 set, these have not.
constexpr unsigned page_shift = 12;
constexpr unsigned space_shift = 42;

}  // namespace

void NodeMisses::add(const NodeMisses& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

void NodeMisses::clear() {
  std::ranges::fill(counts_, 0);
}

VcpuAccount::VcpuAccount(const CacheShape& cache, std::size_t nodes)
    : safe_offset_(cache.line_bytes - widest_access),
      line_mask_(cache.line_bytes - 1),
      line_shift_(static_cast<unsigned>(std::countr_zero(cache.line_bytes))),
      cache_(cache),
      kernel_(nodes) {
  // Lines of different places must be of different sets.
  const std::uint64_t places = std::min<std::uint64_t>(cache_.aligned_sets(), newest_.size());
  newest_mask_ = places - 1;
  newest_.fill(nowhere);
}

void VcpuAccount::count_units(unsigned shift, UnitBudget& budget, ReadTid read_tid,
                              FirstUsers* first) {
  units_ = std::make_unique<UnitCounts>(shift, budget, first);
  read_tid_ = read_tid;
}

void VcpuAccount::open(const Region& region) {
  region_ = region;
  cache_.clear();
  references_ = {};
  kernel_.clear();
  outside_ = 0;
  threads_.clear();
  if (units_ != nullptr) units_->clear();
  follow_running();
}

void VcpuAccount::close() {
  region_.reset();
  follow_running();
}

void VcpuAccount::set_cr3(std::uint64_t cr3) {
  running_.cr3 = cr3;
  follow_running();
}

void VcpuAccount::set_fs_base(std::uint64_t fs_base) {
  running_.fs_base = fs_base;
  thread_ = nullptr;
}

void VcpuAccount::follow_running() {
  counting_ = region_ && region_->includes(running_.cr3);
  space_ = (running_.cr3 >> page_shift) << space_shift;
  newest_.fill(nowhere);
  thread_ = nullptr;
}

ThreadAccount* VcpuAccount::find_thread() {
  const auto found = std::ranges::find(threads_, running_, [](const auto& t) { return t->key; });
  ThreadAccount* account = nullptr;
  if (found != threads_.end()) {
    account = found->get();
  } else {
    const auto number = static_cast<unsigned>(threads_.size());
    threads_.push_back(std::make_unique<ThreadAccount>(
        ThreadAccount{running_, NodeMisses(kernel_.nodes()), number}));
    account = threads_.back().get();
  }
  if (read_tid_ != nullptr && account->tid == 0) account->tid = read_tid_(running_.fs_base);
  return account;
}

}  // namespace homenode::lab
