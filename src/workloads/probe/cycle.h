// A random cycle through the lines of an array, for chains of dependent loads. Every load needs the
// one before it, so the time of a chain is the latency, and no prefetcher can guess the next line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace homenode::workloads::probe {

/// One cache line of the chain.
struct alignas(64) Stop {
  std::atomic<Stop*> next = nullptr;
  std::uint64_t blank[7] = {};
};

/// A permutation of [0, count) that needs no memory: a mixing of k bits that can be undone, applied
/// again where it leaves the range. The same seed gives the same order.
class Scatter {
 public:
  /// pre: count > 0.
  Scatter(std::size_t count, std::uint64_t seed);
  /// pre: position < count.
  [[nodiscard]] std::size_t operator()(std::size_t position) const;

 private:
  std::size_t count_;
  std::uint64_t mask_ = 0;
  unsigned shift_ = 1;
  std::uint64_t factor_[2];
  std::uint64_t offset_;
};

struct CycleShape {
  std::size_t lines = 0;
  /// Lines that are visited before the next group: those of a small page, which keeps TLB misses
  /// out; `lines` for an order over everything.
  std::size_t lines_per_group = 0;
  /// Every how many lines there is a stop. 2 where a group is small: CPUs fetch lines in pairs, and
  /// the other one of a pair would be found in a cache.
  std::size_t stride = 1;
  std::uint64_t seed = 1;
};

/// Links the stops into one cycle; the groups and the stops of each in random order. Gives the
/// first. pre: lines > 0, lines_per_group divides lines, stride divides lines_per_group, the array
/// has that many lines.
Stop* link_cycle(Stop* array, const CycleShape& shape);

/// Follows the cycle with dependent loads; where it ends.
Stop* follow(Stop* from, std::size_t steps);

/// The same with an atomic read-modify-write of each line, which must be owned before the next
/// step: the latency of a write.
Stop* own_and_follow(Stop* from, std::size_t steps);

}  // namespace homenode::workloads::probe
