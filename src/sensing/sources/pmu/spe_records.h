// Takes the packets of Arm's Statistical Profiling Extension apart, as the CPU writes them into the
// AUX buffer of an arm_spe event: each record is a run of packets that ends with a timestamp or an
// end packet. By the Arm Architecture Reference Manual, "Statistical Profiling Extension Sample
// Record Specification". Pure. Serves the source of samples `pmu`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sensing/sources/pmu/data_source.h"

namespace homenode::sensing {

struct SpeAccess : RecordedAccess {
  std::uint64_t instruction = 0;
  std::uint64_t timestamp = 0;  ///< Of the system counter.
  std::uint32_t context = 0;    ///< CONTEXTIDR_EL1: the thread, if the kernel puts it there.
  bool kernel = false;
};

/// The loads and stores that have an address, and what was passed over.
struct SpeAccesses {
  std::vector<SpeAccess> accesses;
  std::uint64_t others = 0;     ///< Records of other operations.
  std::uint64_t bad_bytes = 0;  ///< Bytes that begin no packet.
};

/// A part of an AUX buffer.
struct SpeBytes {
  std::span<const std::byte> bytes;
  std::size_t offset = 0;  ///< In the buffer.
  /// The CPU is one of Arm's Neoverse cores, whose numbers for where data came from are known; on
  /// others the level follows from the record's events.
  bool data_sources = false;
};

/// A record that the end of the bytes cuts is not counted.
SpeAccesses read_spe_records(const SpeBytes& part);

/// PERF_RECORD_AUX of an event that samples PERF_SAMPLE_TID, _TIME and _CPU: a part of the AUX
/// buffer is written. The kernel says so whenever it takes the thread off the CPU, so all records
/// of the part are this thread's on this CPU. Empty where the bytes end too soon.
struct SpeFlush {
  std::uint64_t position = 0;
  std::uint64_t bytes = 0;
  bool lost = false;  ///< The buffer was full, so records are missing behind it.
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint32_t cpu = 0;
};
std::optional<SpeFlush> read_spe_flush(std::span<const std::byte> body);

}  // namespace homenode::sensing
