// homenode bench numa-mem: memory that all its processes share, and what they say in it of
// themselves while they work. It has no name in any file system, so nothing of it outlives them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::trial {

/// Anonymous memory, zeros, that processes forked later share; unmapped at the end.
class SharedPages {
 public:
  /// pre: alignment is a power of two and at least a page. Errors: failed when there is none.
  static Result<SharedPages> map(std::size_t bytes, std::size_t alignment);
  SharedPages(SharedPages&& other) noexcept;
  SharedPages& operator=(SharedPages&&) = delete;
  ~SharedPages();

  [[nodiscard]] actuation::Region region() const { return region_; }

 private:
  SharedPages(actuation::Region whole, actuation::Region region) : whole_(whole), region_(region) {}

  actuation::Region whole_;
  actuation::Region region_;
};

/// A task as it is now, written by itself alone.
struct alignas(64) LiveTask {
  std::atomic<pid_t> thread = 0;
  std::atomic<int> cpu = -1;  ///< Where it was after its last loop; -1: not yet known.
  std::atomic<int> node = -1;
  std::atomic<std::uintptr_t> thread_memory = 0;   ///< In its process; 0 without any.
  std::atomic<std::uintptr_t> process_memory = 0;  ///< The same for all tasks of a process.

  /// Says where the calling thread is.
  void say_where(os::Os& os);
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

/// All tasks, and the word that ends their work.
class LiveTasks {
 public:
  static Result<LiveTasks> make(std::size_t tasks);

  [[nodiscard]] LiveTask& at(std::size_t task) const { return tasks_[task]; }
  void stop() const { stop_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stop_->load(std::memory_order_relaxed); }

 private:
  explicit LiveTasks(SharedPages pages, std::size_t tasks);

  SharedPages pages_;
  std::atomic<bool>* stop_ = nullptr;
  LiveTask* tasks_ = nullptr;
};

}  // namespace homenode::trial
