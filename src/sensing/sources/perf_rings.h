// Ring buffers of the kernel's performance events, one for each CPU, into which the events of all
// threads write. Each buffer belongs to an event of the sampler that counts nothing, so that no end
// of a thread ends it. Serves all sources that read events.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "os/os.h"
#include "os/perf_events.h"
#include "sensing/sources/perf_records.h"

namespace homenode::sensing {

/// Where an event is opened, if not on every CPU and by itself.
struct EventPlace {
  const CpuSet* cpus = nullptr;             ///< Those that have it.
  const perf_event_attr* leader = nullptr;  ///< Of the group that it is opened in.
};

/// Has the event tell of the threads, names and mappings of its process too.
void tell_of_process(perf_event_attr& event);
/// Has each record carry its time, by CLOCK_MONOTONIC.
void tell_time(perf_event_attr& event);

class PerfRings {
 public:
  explicit PerfRings(os::Os& os) : os_(os) {}
  PerfRings(const PerfRings&) = delete;
  PerfRings& operator=(const PerfRings&) = delete;
  ~PerfRings() { close(); }

  /// Maps a buffer for each CPU. Errors: failed when the kernel grants no memory for them;
  /// not_supported when it lets this process have no events.
  Result<void> open(std::span<const unsigned> cpus);
  /// Opens the event for a thread on each CPU, where it and its inherited copies write to the
  /// buffers. 0, or the -errno of the kernel; then none is left open. Thread -1 is all of the CPU.
  /// pre: open() has succeeded.
  int add(const perf_event_attr& event, pid_t thread, const EventPlace& place = {});
  /// Ends all events and buffers; what was not read is lost.
  void close();

  /// Gives each buffer's first event a buffer that its PMU writes to by itself. 0 or -errno.
  /// pre: add() has succeeded; for a PMU with such buffers.
  int open_aux();
  /// Bytes of the CPU's AUX buffer from a position on, which counts all that were ever written;
  /// those that go over its end are joined in `copy`. Empty where there are none.
  [[nodiscard]] std::span<const std::byte> aux(std::uint32_t cpu, std::uint64_t position,
                                               std::uint64_t count,
                                               std::vector<std::byte>& copy) const;
  /// The kernel may write over the CPU's AUX buffer up to a position.
  void free_aux(std::uint32_t cpu, std::uint64_t position);

  /// Ready to be read when a buffer is half full.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Hands over all records that are complete, those of one CPU in their order.
  void read(const std::function<void(const PerfRecord&)>& visit);
  /// PERF_EVENT_IOC_ENABLE or _DISABLE for all.
  void control(unsigned long request, unsigned long argument = 0);

 private:
  struct Ring {
    unsigned cpu = 0;
    int descriptor = -1;
    void* memory = nullptr;
    int first_event = -1;
    void* aux = nullptr;
  };
  int add_on(Ring& ring, const perf_event_attr& event, pid_t thread, const perf_event_attr* leader);
  void read_ring(const Ring& ring, const std::function<void(const PerfRecord&)>& visit);

  os::Os& os_;
  std::vector<Ring> rings_;
  std::vector<int> events_;
  std::vector<std::byte> copy_;  // Of a record that goes over the end of a buffer.
};

/// Why the kernel refused events of other processes, `errno_value` being its answer, and what to
/// do.
Error event_refusal(os::Os& os, int errno_value);

}  // namespace homenode::sensing
