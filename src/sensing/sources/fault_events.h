// Page faults of a program as the kernel's software event reports them: thread, address, CPU, time,
// and where it is allowed the physical address. Follows threads and children that start, and what
// they map. Serves the sources that arm pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "os/os.h"
#include "sensing/sources/perf_rings.h"
#include "sensing/sources/source.h"

namespace homenode::sensing {

struct PageFault {
  PerfSample event;
  bool lost_before = false;  ///< Faults on this CPU before this one are lost.
  /// A page was mapped at the address, so it was armed or shared for copying; otherwise this is the
  /// first use of new memory, or what came back from a disk.
  bool was_present = false;
};

class FaultEvents {
 public:
  /// Success where the kernel lets this process have the event for `pid`; 0 is any of its own.
  /// Errors: as event_refusal().
  static Result<void> check(os::Os& os, pid_t pid);

  /// Opens it for all threads of the process, or from its exec on for a program that is started.
  /// Errors: as event_refusal(); failed without memory.
  static Result<std::unique_ptr<FaultEvents>> open(const Sampling& sampling, pid_t pid);
  /// The faults since the last call, by time. Processes, threads and mappings that the kernel
  /// reports meanwhile go to the log, losses to the budget.
  std::vector<PageFault> read(Sampling& sampling);
  void close() { rings_.close(); }
  /// PERF_EVENT_IOC_ENABLE or _DISABLE. While it is disabled, no process, thread or mapping is
  /// reported either.
  void control(unsigned long request) { rings_.control(request); }
  /// What a fault costs the program here: the median of some on new memory, which includes clearing
  /// the page.
  [[nodiscard]] std::uint64_t fault_ns() const { return fault_ns_; }

  [[nodiscard]] std::vector<int> descriptors() const { return rings_.descriptors(); }
  /// The kernel says whether a page was mapped (Linux 5.11), so that PageFault::was_present holds.
  [[nodiscard]] bool tells_presence() const;

 private:
  explicit FaultEvents(os::Os& os) : os_(os), rings_(os) {}
  Result<void> open_threads(const Sampling& sampling, pid_t pid, bool starts);
  int add(pid_t thread, bool starts);
  void take(const PerfRecord& record, Sampling& sampling, std::vector<PageFault>& faults);

  os::Os& os_;
  PerfRings rings_;
  perf_event_attr event_{};
  bool decided_ = false;  ///< Which fields the kernel grants is known.
  bool lost_ = false;
  std::uint64_t fault_ns_ = 0;
};

/// The fault as a sample with nodes as far as the event tells them; the source fills in the rest.
Sample sample_of(const PageFault& fault, const NodeLookup& nodes);

/// Logs the process, thread or mapping that a PERF_RECORD_FORK, _COMM or _MMAP2 reports; others and
/// damaged ones say nothing.
void log_process_record(const PerfRecord& record, ProcessLog& processes);

/// Asks the kernel where the pages are of samples whose memory node is not known. Those that it
/// does not say stay unknown.
void find_memory_nodes(os::Os& os, std::vector<Sample>& samples);

}  // namespace homenode::sensing
