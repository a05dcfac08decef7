// The account of one vCPU in a region of interest: its private cache, and how many accesses missed
// it, by node, privilege and thread. Everything here belongs to one vCPU's host thread, so plain
// counters suffice; others read it only while every vCPU stands still.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lab/plugin/private_cache.h"
#include "lab/plugin/region_control.h"
#include "lab/plugin/thread_key.h"
#include "lab/plugin/unit_counts.h"

namespace homenode::lab {

enum class Privilege : unsigned { user, kernel };

/// Misses by node index, loads and stores apart.
class NodeMisses {
 public:
  explicit NodeMisses(std::size_t nodes) : nodes_(nodes), counts_(2 * nodes) {}
  void add(bool store, unsigned node) { ++counts_[(store ? nodes_ : 0) + node]; }
  void add(const NodeMisses& other);
  void clear();
  [[nodiscard]] std::uint64_t at(bool store, std::size_t node) const {
    return counts_[(store ? nodes_ : 0) + node];
  }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

 private:
  std::size_t nodes_;
  std::vector<std::uint64_t> counts_;
};

/// One thread's user-mode misses on one vCPU.
struct ThreadAccount {
  ThreadKey key;
  NodeMisses misses;
  unsigned number = 0;    ///< Its place among the vCPU's threads.
  std::uint32_t tid = 0;  ///< Its id in the guest; 0: not known, or nobody wants it.
};

/// A page of memory as the guest's hardware has it.
struct MemoryPlace {
  unsigned node = 0;           ///< Its node's index.
  std::uint64_t physical = 0;  ///< The address's guest-physical one; 0: not known.
};

/// Aligned so that two vCPUs' accounts never share a cache line (nor an adjacent-line prefetch).
class alignas(128) VcpuAccount {
 public:
  VcpuAccount(const CacheShape& cache, std::size_t nodes);

  /// What tells the running thread's id in the guest by its thread pointer; 0: it cannot, or not
  /// yet. Called on the vCPU's host thread while the thread is in user code.
  using ReadTid = std::uint32_t (*)(std::uint64_t fs_base);
  /// From the next region on, counts misses by thread and unit of 1 << shift bytes, too; once.
  void count_units(unsigned shift, UnitBudget& budget, ReadTid read_tid,
                   FirstUsers* first = nullptr);

  /// Begins a region: counters at zero, cache cold.
  void open(const Region& region);
  /// Ends the region: nothing is counted any more.
  void close();
  /// Tells what the vCPU runs. Followed outside regions too.
  void set_cr3(std::uint64_t cr3);
  void set_fs_base(std::uint64_t fs_base);
  [[nodiscard]] const ThreadKey& running() const { return running_; }

  /// Counts one access by code of the given privilege. Memory has
  ///   bytes() -> unsigned, the size of the access, and
  ///   place_of(address) -> optional<MemoryPlace>, where the address lies;
  /// both are asked only when needed. An access that crosses a line touches both lines.
  template <Privilege privilege, class Memory>
  void count(std::uint64_t address, bool store, const Memory& memory) {
    // The fast path: a line that is its set's newest already, and far enough from its end.
    if ((address ^ newest_of(address)) <= safe_offset_) [[likely]] {
      ++references_[index(privilege, store)];
      return;
    }
    count_elsewhere<privilege>(address, store, memory);
  }

  /// Counts a miss that somebody else's caches made.
  void add_miss(Privilege privilege, const Miss& miss) {
    if (privilege == Privilege::kernel) {
      kernel_.add(miss.store, miss.node);
      return;
    }
    if (thread_ == nullptr) thread_ = find_thread();
    thread_->misses.add(miss.store, miss.node);
    if (units_ != nullptr) units_->add(thread_->number, miss, running_);
  }
  /// References that somebody else counted: user's loads and stores, then the kernel's.
  void set_references(const std::array<std::uint64_t, 4>& references, std::uint64_t outside) {
    references_ = references;
    outside_ = outside;
  }

  [[nodiscard]] std::uint64_t references(Privilege privilege, bool store) const {
    return references_[index(privilege, store)];
  }
  [[nodiscard]] const NodeMisses& kernel_misses() const { return kernel_; }
  [[nodiscard]] const std::vector<std::unique_ptr<ThreadAccount>>& threads() const {
    return threads_;
  }
  [[nodiscard]] std::uint64_t outside() const { return outside_; }
  /// User code's misses by unit; null: nobody wants them.
  [[nodiscard]] const UnitCounts* units() const { return units_.get(); }

 private:
  // QEMU splits wider accesses into pieces of at most 16 bytes.
  static constexpr std::uint64_t widest_access = 16;
  // Differs from every address that x86-64 allows by more than a line.
  static constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;

  static constexpr std::size_t index(Privilege privilege, bool store) {
    return static_cast<std::size_t>(privilege) * 2 + (store ? 1 : 0);
  }

  /// Where the line starts that was touched last among those that may share a set with this one;
  /// nowhere when nothing is counted or the address space has changed.
  [[nodiscard]] std::uint64_t& newest_of(std::uint64_t address) {
    return newest_[address >> line_shift_ & newest_mask_];
  }

  // Another line, or the end of a known one. Out of line, so that the fast path saves no registers.
  template <Privilege privilege, class Memory>
  [[gnu::noinline]] void count_elsewhere(std::uint64_t address, bool store, Memory memory) {
    if (!counting_) return;
    ++references_[index(privilege, store)];
    const bool same_line = (address ^ newest_of(address)) <= line_mask_;
    if (!same_line) touch<privilege>(address, store, memory);
    if ((address & line_mask_) <= safe_offset_) return;
    const std::uint64_t last = address + memory.bytes() - 1;
    if (last >> line_shift_ != address >> line_shift_) touch<privilege>(last, store, memory);
  }

  template <Privilege privilege, class Memory>
  void touch(std::uint64_t address, bool store, const Memory& memory) {
    const std::uint64_t line = address >> line_shift_;
    if (cache_.holds_lines()) newest_of(address) = address & ~line_mask_;
    // The kernel's half of every address space is the same; users' halves differ.
    if (cache_.touch(privilege == Privilege::user ? line ^ space_ : line)) return;
    const std::optional<MemoryPlace> place = memory.place_of(address);
    if (!place) {
      ++outside_;
    } else {
      add_miss(privilege, {address, place->physical, place->node, store});
    }
  }

  ThreadAccount* find_thread();
  void follow_running();

  std::uint64_t safe_offset_;  ///< Up to this offset in a line no access crosses its end.
  std::uint64_t newest_mask_;
  std::array<std::uint64_t, 4> references_{};
  std::array<std::uint64_t, 256> newest_{};  ///< See newest_of().
  std::uint64_t line_mask_;
  std::uint64_t space_ = 0;  ///< Tells users' lines of different address spaces apart.
  unsigned line_shift_;
  bool counting_ = false;
  PrivateCache cache_;
  ThreadAccount* thread_ = nullptr;  ///< The running thread's, or nullptr: not looked up yet.
  NodeMisses kernel_;
  std::uint64_t outside_ = 0;
  ThreadKey running_;
  std::optional<Region> region_;
  std::vector<std::unique_ptr<ThreadAccount>> threads_;
  std::unique_ptr<UnitCounts> units_;
  ReadTid read_tid_ = nullptr;
};

}  // namespace homenode::lab
