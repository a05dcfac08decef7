// Which thread used a page first, and whether another one has come since. What a thread did to a
// page before any other came is how it prepared the page, as a rule by filling it, and is told
// apart in the samples: a program whose first thread fills an array shows by it how the array is
// used. Shared by all vCPUs, which ask once for each unit that one of their threads uses, not for
// each use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "lab/plugin/thread_key.h"

namespace homenode::lab {

/// For several threads at once, but for clear().
class FirstUsers {
 public:
  static constexpr unsigned page_shift = 12;

  struct Page {
    explicit Page(const ThreadKey& user) : first(user) {}
    ThreadKey first;
    std::atomic<bool> others{false};  ///< Another thread of the process has used it, too.
  };

  /// Notes that a thread uses the page of an address. The page's entry, where nobody else has used
  /// it until now; null otherwise. It is good until clear().
  [[nodiscard]] const Page* used_by(const ThreadKey& thread, std::uint64_t address);

  /// From now on not every use is seen, so nothing of the region can be believed.
  void give_up() { given_up_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool given_up() const { return given_up_.load(std::memory_order_relaxed); }

  /// Begins anew, while every vCPU stands still.
  void clear();

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Page> pages;
  };
  std::array<Shard, 64> shards_;
  std::atomic<bool> given_up_{false};
};

}  // namespace homenode::lab
