// Background traffic at a chosen intensity, for the latency under load.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "workloads/probe/kernels.h"

namespace homenode::workloads::probe {

struct Injection {
  StreamKernel read = nullptr;
  const double* source = nullptr;
  std::size_t count = 0;        ///< Elements, walked round and round.
  std::size_t first = 0;        ///< Where the walk begins.
  std::size_t idle_rounds = 0;  ///< Of an empty loop, about a cycle each, after every block.
};

/// Elements that are read between two looks at `stop`: a small page.
inline constexpr std::size_t injected_elements = 512;

/// Reads until `stop`; how many elements that were.
/// pre: count and first are multiples of injected_elements, first < count.
std::uint64_t inject(const Injection& injection, const std::atomic<bool>& stop);

}  // namespace homenode::workloads::probe
