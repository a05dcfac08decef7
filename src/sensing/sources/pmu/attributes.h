// How an event is opened: what it samples and how often; and what a record of it says as a sample.
// Pure. Serves the source of samples `pmu`.
#pragma once

#include <cstdint>
#include <optional>

#include "base/sample.h"
#include "os/perf_events.h"
#include "sensing/sources/perf_records.h"
#include "sensing/sources/pmu/events.h"
#include "sensing/sources/pmu/spe_records.h"

namespace homenode::sensing {

/// What may differ between openings of an event; asked_less() tries these in turn.
struct PmuOpening {
  std::uint64_t samples_per_second = 1000;
  bool from_exec = false;  ///< It counts from the program's exec on.
  bool physical = true;    ///< With physical addresses, which take a privilege of their own.
  bool precisest = true;   ///< With the very instruction, where PEBS can name it.
  bool whole_cpu = false;  ///< Of every process: kernels before 6.2 have IBS no other way.
};

perf_event_attr attributes_of(const PmuEvents& events, const PmuEvent& event,
                              const PmuOpening& opening);
/// What sets how often it samples: SPE counts the operations between two samples, as it knows no
/// frequency.
std::uint64_t rate_of(PmuKind kind, std::uint64_t samples_per_second);
/// Of the event that leads the loads' group: it counts and samples nothing.
perf_event_attr leader_attributes(const PmuEvent& loads, const PmuOpening& opening);
/// Asks for less where the kernel refused. False when there is no less.
bool asked_less(PmuOpening& opening, PmuKind kind, int errno_value);

/// What one sample costs the program: the interrupt, the kernel's record and its reader.
inline constexpr std::uint64_t cost_of_sample_ns = 4000;
/// How many samples a second cost no more than that share of a CPU, within what the kernel allows.
std::uint64_t samples_per_second(double overhead, std::uint64_t most);

/// What a record's reader has to know.
struct PmuReading {
  PmuKind kind = PmuKind::precise;
  bool erratum_1293 = false;
  std::uint64_t sample_type = 0;
  double ns_per_cycle = 0;  ///< 0: not known; latencies are then left out.
};
/// An access of SPE as a sample, without nodes; nothing as above.
std::optional<Sample> sample_of_spe(const SpeAccess& access, const SpeFlush& flush,
                                    double ns_per_cycle);
/// A PERF_RECORD_SAMPLE as a sample, without nodes. Nothing where it is no load or store of the
/// program to memory of its own.
std::optional<Sample> sample_of_record(const PerfRecord& record, const PmuReading& reading);

}  // namespace homenode::sensing
