// The records of the kernel's performance events, decoded: samples with any of the fields that the
// sources ask for, and what the kernel says of threads, mappings and losses. Pure; the layout is
// that of perf_event_open(2). Serves all sources that read events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace homenode::sensing {

/// PERF_RECORD_SAMPLE; what its event does not ask for is 0.
struct PerfSample {
  std::uint64_t instruction = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint32_t cpu = 0;
  std::uint64_t period = 0;
  std::span<const std::byte> raw;  ///< What a PMU adds of its own; within the record.
  std::uint64_t weight = 0;
  std::uint64_t data_source = 0;
  std::uint64_t physical = 0;
  std::uint64_t page_bytes = 0;  ///< Of the page that was mapped at the address; 0: none was.
  bool kernel = false;
};

/// Bits of sample_type that decode_perf_sample() reads; an event may ask for no others.
std::uint64_t decodable_sample_fields();

/// One record of a ring buffer, behind its header.
struct PerfRecord {
  std::uint32_t type = 0;  ///< PERF_RECORD_*.
  std::uint16_t misc = 0;  ///< PERF_RECORD_MISC_*.
  std::span<const std::byte> body;
};

/// Nothing where the record is too short for what `sample_type` says that it holds.
/// pre: sample_type is within decodable_sample_fields().
std::optional<PerfSample> decode_perf_sample(const PerfRecord& record, std::uint64_t sample_type);

/// PERF_RECORD_FORK: of a thread, or of a process where both numbers are the same.
struct PerfFork {
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  std::uint32_t tid = 0;
};
std::optional<PerfFork> decode_perf_fork(const PerfRecord& record);

/// PERF_RECORD_COMM: a thread has a name now; `exec`: it runs another program.
struct PerfName {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string name;
  bool exec = false;
};
std::optional<PerfName> decode_perf_name(const PerfRecord& record);

/// PERF_RECORD_MMAP2: memory was mapped.
struct PerfMapping {
  std::uint32_t pid = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  std::string permissions;  ///< "rw-p".
  std::string path;         ///< "//anon" for anonymous memory.
};
std::optional<PerfMapping> decode_perf_mapping(const PerfRecord& record);

/// PERF_RECORD_LOST: how many records the kernel could not keep.
std::optional<std::uint64_t> decode_perf_lost(const PerfRecord& record);

}  // namespace homenode::sensing
