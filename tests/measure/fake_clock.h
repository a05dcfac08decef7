// A clock for tests: every run of every member takes the same time, and none passes between runs.
#pragma once

#include <array>
#include <atomic>
#include <thread>

#include "os/clock.h"

namespace homenode::measure {

class FakeClock final : public os::Clock {
 public:
  /// The thread that makes it is the one that measures: for it, no time passes at all. The others
  /// ask twice in a run, at its begin and at its end.
  explicit FakeClock(std::uint64_t run_ps, bool modelled = true)
      : run_ps_(run_ps), modelled_(modelled), owner_(std::this_thread::get_id()) {}

  std::uint64_t now_ps(std::size_t slot) override {
    if (std::this_thread::get_id() == owner_) return 0;
    return asked_.at(slot)++ % 2 == 0 ? 0 : run_ps_;
  }
  [[nodiscard]] bool modelled() const override { return modelled_; }

 private:
  std::uint64_t run_ps_;
  bool modelled_;
  std::thread::id owner_;
  std::array<std::atomic<std::uint64_t>, 64> asked_{};
};

inline constexpr std::uint64_t millisecond_ps = 1'000'000'000;

}  // namespace homenode::measure
