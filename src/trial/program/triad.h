// What STREAM's triad gets of the memory here and now: what a program that is limited by memory
// bandwidth is held against. Serves `bench seismic`.
#pragma once

#include <cstddef>
#include <string>

#include "base/units.h"
#include "os/os.h"

namespace homenode::trial {

struct TriadRate {
  /// Bytes a second that cross the bus: where the triad's stores are plain ones, with the lines
  /// that these read first. 0 without memory.
  double bus_bytes_s = 0.0;
  std::string form;  ///< How it was computed: "avx2 x8, non-temporal".
};

/// Passes over the arrays, of which the best counts.
inline constexpr unsigned triad_passes = 8;
/// Elements of each array that a thread walks in one try of a form, at most.
inline constexpr std::size_t triad_tried_elements = std::size_t{1} << 20U;

/// The best pass over three arrays of `bytes` together, in huge pages where the kernel
/// has them, each thread in memory that it touched first. Of all forms of the kernel, tried in turn
/// on this machine, that which moves most over the bus. pre: threads > 0.
TriadRate triad_rate(os::Os& os, Bytes bytes, unsigned threads);

}  // namespace homenode::trial
