// What AMD's instruction-based sampling (IBS) recorded of one operation: the registers that the
// kernel's ibs_op driver hands on as a raw sample. Read as they are, they say the same on every
// kernel, also on those before 6.1 that fill neither address nor data source. By AMD's Processor
// Programming Reference (56713, "Instruction Based Sampling"). Pure. Serves the source `pmu`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sensing/sources/pmu/data_source.h"

namespace homenode::sensing {

/// The latency is known of loads that missed the first cache.
/// `erratum_1293`: family 19h, models 00h to 0Fh, whose registers are wrong for software prefetches
/// and for misses that found no free miss buffer. Empty for an operation that is no load or store,
/// for one without an address, and for bytes that are no raw sample of ibs_op.
std::optional<RecordedAccess> read_ibs_sample(std::span<const std::byte> raw, bool erratum_1293);

}  // namespace homenode::sensing
