#include "os/clock.h"

#include <chrono>

namespace homenode::os {

std::uint64_t SteadyClock::now_ps(std::size_t) {
  using Picoseconds = std::chrono::duration<std::uint64_t, std::pico>;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Picoseconds>(now).count();
}

}  // namespace homenode::os
