// Memory that must not be armed in the next window. Serves opening.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/threads.h"

namespace homenode::agent::pkeys {

class KeptMemory {
 public:
  /// False where there is no room for more.
  bool add(AddressRange range) {
    if (range.first >= range.end) return true;
    if (count_ == room) return false;
    ranges_[count_++] = range;
    return true;
  }
  [[nodiscard]] bool overlaps(std::uintptr_t first, std::uintptr_t end) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (ranges_[i].overlaps(first, end)) return true;
    }
    return false;
  }
  /// Whether one of the ranges holds all of it.
  [[nodiscard]] bool contains(std::uintptr_t first, std::uintptr_t end) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (ranges_[i].contains(first, end)) return true;
    }
    return false;
  }
  void clear() { count_ = 0; }

 private:
  static constexpr std::size_t room = 1024;
  AddressRange ranges_[room] = {};
  std::size_t count_ = 0;
};

}  // namespace homenode::agent::pkeys
