// Timing of the phases of a placement, where the caller has a clock. Serves region.cpp and
// region_move_to_policy.cpp.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "os/clock.h"

namespace homenode::actuation {

/// Without a clock every phase takes no time at all.
class PhaseTimer {
 public:
  explicit PhaseTimer(os::Clock* clock) : clock_(clock), last_ps_(now_ps()) {}

  /// Since the last lap, or since the beginning.
  Nanoseconds lap() {
    const std::uint64_t before = last_ps_;
    last_ps_ = now_ps();
    return {static_cast<double>(last_ps_ - before) / 1000};
  }

 private:
  [[nodiscard]] std::uint64_t now_ps() const { return clock_ == nullptr ? 0 : clock_->now_ps(0); }

  os::Clock* clock_;
  std::uint64_t last_ps_;
};

}  // namespace homenode::actuation
