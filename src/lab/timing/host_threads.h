// The host's threads that run the vCPUs, and what each has had of the host's processors.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <optional>
#include <vector>

namespace homenode::lab {

class HostThreads {
 public:
  explicit HostThreads(unsigned vcpus) : clocks_(vcpus) {}

  /// The calling thread runs this vCPU, to its end.
  void runs_here(unsigned vcpu) {
    clockid_t clock = unknown;
    if (pthread_getcpuclockid(pthread_self(), &clock) == 0) clocks_[vcpu] = clock;
  }

  /// The processor time of the vCPU's thread; nothing where it is not known or has ended.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time(unsigned vcpu) const {
    const clockid_t clock = clocks_[vcpu];
    timespec time{};
    if (clock == unknown || clock_gettime(clock, &time) != 0) return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

 private:
  static constexpr clockid_t unknown = 0;  ///< Linux's clocks of threads are negative.

  std::vector<std::atomic<clockid_t>> clocks_;
};

}  // namespace homenode::lab
