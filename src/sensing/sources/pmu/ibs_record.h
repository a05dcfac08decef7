// What AMD's instruction-based sampling (IBS) recorded of one operation: the registers that the
// kernel's ibs_op driver hands on as a raw sample. Read as they are, they say the same on every
// kernel, also on those before 6.1 that fill neither address nor data source. By AMD's Processor
// Programming Reference (56713, "Instruction Based Sampling"). Pure. Serves the source `pmu`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sensing/sources/pmu/data_source.h"

namespace homenode::sensing {

/// A load or store; addresses that the processor did not record are 0. The latency counts cycles of
/// the core, which whoever knows its clock turns into time.
struct IbsAccess {
  AccessKind kind;
  std::uint64_t address = 0;
  std::uint64_t physical = 0;
  std::uint32_t latency_cycles = 0;  ///< Of a load that missed the first cache; 0: not known.
};

/// `erratum_1293`: family 19h, models 00h to 0Fh, whose registers are wrong for software prefetches
/// and for misses that found no free miss buffer. Empty for an operation that is no load or store,
/// for one without an address, and for bytes that are no raw sample of ibs_op.
std::optional<IbsAccess> read_ibs_sample(std::span<const std::byte> raw, bool erratum_1293);

}  // namespace homenode::sensing
