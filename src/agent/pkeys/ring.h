// The samples on their way from the handlers of the program's threads to the sampler: no lock, and
// a handler that finds no room counts that and goes on. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "base/sample.h"

namespace homenode::agent::pkeys {

class Ring {
 public:
  /// Any thread, any number at once.
  void put(const Sample& sample) {
    std::uint64_t at = head_.load_acquire();
    do {
      if (at - tail_.load_acquire() >= size) {
        lost_.add_relaxed(1);
        return;
      }
    } while (!head_.replace_acquire_release(at, at + 1));
    Place& place = places_[at % size];
    place.sample = sample;
    place.turn.store_release(at + 1);
  }

  /// The sampler alone. False when there is none, or the next one is still being written.
  bool take(Sample& sample) {
    const std::uint64_t at = tail_.load_relaxed();
    Place& place = places_[at % size];
    if (place.turn.load_acquire() != at + 1) return false;
    sample = place.sample;
    tail_.store_release(at + 1);
    return true;
  }

  [[nodiscard]] std::uint64_t lost() const { return lost_.load_relaxed(); }

 private:
  static constexpr std::size_t size = 4096;
  struct Place {
    Atomic<std::uint64_t> turn;
    Sample sample;
  };
  Atomic<std::uint64_t> head_;
  Atomic<std::uint64_t> tail_;
  Atomic<std::uint64_t> lost_;
  Place places_[size];
};

}  // namespace homenode::agent::pkeys
