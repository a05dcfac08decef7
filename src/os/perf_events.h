// The part of the contract about watching other processes: the kernel's performance events with
// their ring buffers, processor time, and waiting for any of several descriptors. Serves the
// sources of samples.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace homenode::os {

/// As in os.h, all of these give 0 or -errno. An Os that models none of it gives -ENOSYS.
class PerfEvents {
 public:
  PerfEvents() = default;
  PerfEvents(const PerfEvents&) = delete;
  PerfEvents& operator=(const PerfEvents&) = delete;
  virtual ~PerfEvents() = default;

  /// perf_event_open(2) without a group; -1 is any thread, or any CPU. The descriptor is closed on
  /// exec, and by Os::close_file().
  virtual int open_perf_event(const perf_event_attr& /*event*/, pid_t /*thread*/, int /*cpu*/,
                              int& /*descriptor*/) {
    return -ENOSYS;
  }
  /// The same in the group that another event leads.
  virtual int open_perf_event_in_group(const perf_event_attr& /*event*/, pid_t /*thread*/,
                                       int /*cpu*/, int /*leader*/, int& /*descriptor*/) {
    return -ENOSYS;
  }
  /// Maps the ring buffer of an event, its first page included, to read and to say what was read;
  /// Os::unmap_memory() ends it.
  virtual int map_perf_ring(int /*descriptor*/, std::size_t /*bytes*/, void*& /*address*/) {
    return -ENOSYS;
  }
  /// Maps the AUX buffer of an event, into which its PMU writes by itself; the ring's first page
  /// says where it begins and how large it is.
  virtual int map_perf_aux(int /*descriptor*/, std::uint64_t /*offset*/, std::size_t /*bytes*/,
                           void*& /*address*/) {
    return -ENOSYS;
  }
  /// ioctl(2) of an event: PERF_EVENT_IOC_*.
  virtual int control_perf_event(int /*descriptor*/, unsigned long /*request*/,
                                 unsigned long /*argument*/) {
    return -ENOSYS;
  }
  /// pidfd_open(2): a descriptor that is ready to be read once the process has ended.
  virtual int open_process(pid_t /*pid*/, int& /*descriptor*/) { return -ENOSYS; }
  /// poll(2): waits until one of them can be read, at most so long; the number of those that can.
  virtual int wait_for_input(std::span<const int> /*descriptors*/,
                             std::chrono::milliseconds /*longest*/) {
    return -ENOSYS;
  }
  /// What all threads of a process, ended ones too, have used of processors; 0 is the caller.
  virtual int process_cpu_ns(pid_t /*pid*/, std::uint64_t& /*nanoseconds*/) { return -ENOSYS; }
  /// nice(2): from here on the calling thread runs only where others leave a processor idle, or
  /// almost; nothing that it has started.
  virtual int give_way() { return -ENOSYS; }
};

}  // namespace homenode::os
