// What the kernel's word `perf_mem_data_src` says of an access. Pure. Serves the source of samples
// `pmu`; python/homenode/profile/data_source.py reads the same word for imported recordings.
#pragma once

#include <cstdint>

#include "base/sample.h"

namespace homenode::sensing {

/// The operation and the level of an access, as far as they are known.
struct AccessKind {
  SampleOperation operation = SampleOperation::unknown;
  SampleLevel level = SampleLevel::unknown;
  friend bool operator==(const AccessKind&, const AccessKind&) = default;
};

/// A load or store that a PMU's record describes. What was not recorded is 0.
struct RecordedAccess {
  AccessKind kind;
  std::uint64_t address = 0;
  std::uint64_t physical = 0;
  std::uint32_t latency_cycles = 0;  ///< Of the core's clock, which this does not know.
};

/// By the fields that <linux/perf_event.h> describes: the number of the level with its
/// remote bit and hops (Linux 4.14), else the bits of older kernels. A read-modify-write is a
/// write; a fill buffer, I/O and uncached memory leave the level unknown.
AccessKind kind_of_data_source(std::uint64_t word);

}  // namespace homenode::sensing
