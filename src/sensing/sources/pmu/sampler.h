// The PMU's events of a program, opened with what the kernel grants, and their samples. Serves the
// source of samples `pmu`.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "sensing/sources/perf_rings.h"
#include "sensing/sources/pmu/attributes.h"
#include "sensing/sources/source.h"

namespace homenode::sensing {

class PmuSampler {
 public:
  PmuSampler(os::Os& os, PmuEvents events) : os_(os), events_(std::move(events)), rings_(os) {}

  /// Success where the kernel opens an event for `pid`; 0 is a process of the caller's. Nothing
  /// stays open. Errors: as refused_pmu().
  static Result<void> check(os::Os& os, const PmuEvents& events, pid_t pid);

  /// Opens the events for all threads of the process, or from its next exec on for one that
  /// `starts`. Errors: as refused_pmu() and PerfRings::open().
  Result<void> open(const Sampling& sampling, pid_t pid, bool starts);
  /// What was sampled since the last call, by time, with nodes as far as they are known. Processes,
  /// threads and mappings that the kernel reports go to the log, costs and losses to the budget.
  std::vector<Sample> read(Sampling& sampling);
  /// Takes fewer samples, or more again, by what they have cost so far.
  void keep_within_budget(const Sampling& sampling);
  void close() { rings_.close(); }

  [[nodiscard]] std::vector<int> descriptors() const { return rings_.descriptors(); }

 private:
  int add(const PmuEvent& event, pid_t thread);
  void take(const PerfRecord& record, Sampling& sampling, std::vector<Sample>& samples);
  void take_flush(const SpeFlush& flush, Sampling& sampling, std::vector<Sample>& samples);
  void keep(Sample sample, const Sampling& sampling, std::vector<Sample>& samples);

  os::Os& os_;
  PmuEvents events_;
  PerfRings rings_;
  PmuOpening opening_;
  PmuReading reading_;
  std::uint64_t highest_ = 0;  ///< Samples per second that --overhead allows.
  std::vector<pid_t> sampled_;
  bool lost_ = false;
  std::vector<std::byte> joined_;  ///< What goes over the end of an AUX buffer.
};

/// How long a cycle of the cores' nominal clock is; 0 where the kernel does not say.
double ns_per_cycle(os::Os& os);

}  // namespace homenode::sensing
