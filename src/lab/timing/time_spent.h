// What a thread spent a region's time on: running user code, waiting for memory, spinning, in the
// kernel, asleep and for what, and able to run without a CPU.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lab/plugin/thread_key.h"

namespace homenode::lab {

/// What a thread asked of the kernel.
struct SystemCall {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uint64_t futex = 202;
  static constexpr std::uint64_t yield = 24;
  std::uint64_t number = none;  ///< Linux's; none: the thread is in the kernel for a fault.
  // Of a futex, else 0.
  std::uint64_t address = 0;  ///< 0 too where a thread uses more futexes than are told apart.
  std::uint64_t operation = 0;

  /// After which a thread does not go on.
  [[nodiscard]] bool is_exit() const { return number == 60 || number == 231; }
  friend auto operator<=>(const SystemCall&, const SystemCall&) = default;
};

/// How a thread was woken up.
struct Wake {
  std::uint64_t time_ps = 0;
  std::optional<ThreadKey> by;  ///< Nothing: a timer or a device.
  unsigned order = 1;           ///< Which one it was of those that one system call woke.
};

/// The times that a thread slept in one kind of system call.
struct Sleeps {
  std::uint64_t times = 0;
  std::uint64_t slept_ps = 0;
  std::uint64_t most_at_once = 0;  ///< The most that one system call had woken, up to this thread.
  std::uint64_t woken_by_none = 0;
  std::map<ThreadKey, std::uint64_t> woken_by;
};

/// One thread's time on one vCPU, or on all together. The time that it ran is `busy_ps`.
struct ThreadTime {
  std::uint64_t busy_ps = 0;
  std::uint64_t first_ps = 0;  ///< When it ran first,
  std::uint64_t last_ps = 0;   ///< and last.
  std::uint64_t instructions = 0;
  // Parts of the time that it ran, without each other; the rest of it is computing.
  std::vector<std::uint64_t> stalls_ps;  ///< As Core::stalls_ps(); empty: none.
  std::uint64_t kernel_ps = 0;
  std::uint64_t spun_ps = 0;
  // Times that it did not run.
  std::uint64_t ready_ps = 0;  ///< It was able to go on, and another one had its CPU.
  std::map<SystemCall, Sleeps> sleeps;

  [[nodiscard]] std::uint64_t computed_ps() const;
  [[nodiscard]] std::uint64_t slept_ps() const;
  /// Counts a sleep; `wake` is null where the region ended first.
  void sleep(SystemCall call, std::uint64_t slept_ps, const Wake* wake);
  void stall(std::span<const std::uint64_t> since_ps, std::span<const std::uint64_t> until_ps);
  void add(const ThreadTime& other);
};

}  // namespace homenode::lab
