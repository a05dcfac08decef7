// What measurements are timed with: the host's steady clock, or the lab's modelled time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::os {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  /// Picoseconds since some moment that is the same for all threads. `slot` is the caller's alone:
  /// its rank. Thread safe. pre: slot < clock_slots.
  virtual std::uint64_t now_ps(std::size_t slot) = 0;
  /// True when a model made the time, so that every figure must say so.
  [[nodiscard]] virtual bool modelled() const = 0;
};

/// As many threads as the lab's clock can serve.
inline constexpr std::size_t clock_slots = 8192;

/// The host's monotonic clock.
class SteadyClock final : public Clock {
 public:
  std::uint64_t now_ps(std::size_t slot) override;
  [[nodiscard]] bool modelled() const override { return false; }
};

}  // namespace homenode::os
