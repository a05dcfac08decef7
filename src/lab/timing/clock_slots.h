// Where the plugin leaves the modelled time for programs in the guest: a file of 8-byte slots that
// QEMU shows the guest as a device's memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace homenode::lab {

class ClockSlots {
 public:
  /// Maps the whole file. Errors: failed, when it cannot be opened, is empty, or cannot be mapped.
  [[nodiscard]] static Result<ClockSlots> open(const std::string& path);

  /// Ignores slots that there are not. Each slot is written by one thread at a time.
  void set(std::uint64_t slot, std::uint64_t time_ps) const {
    if (slot < slots_.size()) __atomic_store_n(&slots_[slot], time_ps, __ATOMIC_RELEASE);
  }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

 private:
  explicit ClockSlots(std::span<std::uint64_t> slots) : slots_(slots) {}

  // Mapped for the life of the process: vCPU threads may still call while it exits.
  std::span<std::uint64_t> slots_;
};

}  // namespace homenode::lab
