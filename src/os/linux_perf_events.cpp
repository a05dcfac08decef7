// Performance events, processes and their processor time on the system that this runs on. Serves
// os/linux.h.
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <vector>

#include "os/linux.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace homenode::os {

int Linux::open_perf_event(const perf_event_attr& event, pid_t thread, int cpu, int& descriptor) {
  return open_perf_event_in_group(event, thread, cpu, -1, descriptor);
}

int Linux::open_perf_event_in_group(const perf_event_attr& event, pid_t thread, int cpu, int leader,
                                    int& descriptor) {
  const long opened =
      syscall(SYS_perf_event_open, &event, thread, cpu, leader, PERF_FLAG_FD_CLOEXEC);
  if (opened < 0) return -errno;
  descriptor = static_cast<int>(opened);
  return 0;
}

int Linux::map_perf_ring(int descriptor, std::size_t bytes, void*& address) {
  return map_perf_aux(descriptor, 0, bytes, address);
}

int Linux::map_perf_aux(int descriptor, std::uint64_t offset, std::size_t bytes, void*& address) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                            static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return -errno;
  address = mapped;
  return 0;
}

int Linux::control_perf_event(int descriptor, unsigned long request, unsigned long argument) {
  return ioctl(descriptor, request, argument) < 0 ? -errno : 0;
}

int Linux::open_process(pid_t pid, int& descriptor) {
  const long opened = syscall(SYS_pidfd_open, pid, 0);
  if (opened < 0) return -errno;
  descriptor = static_cast<int>(opened);
  return 0;
}

int Linux::wait_for_input(std::span<const int> descriptors, std::chrono::milliseconds longest) {
  std::vector<pollfd> files;
  files.reserve(descriptors.size());
  for (const int descriptor : descriptors) files.push_back({descriptor, POLLIN, 0});
  const int ready = poll(files.data(), files.size(), static_cast<int>(longest.count()));
  return ready < 0 ? -errno : ready;
}

int Linux::process_cpu_ns(pid_t pid, std::uint64_t& nanoseconds) {
  clockid_t clock = 0;
  if (const int error = clock_getcpuclockid(pid, &clock)) return -error;
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return -errno;
  constexpr std::uint64_t ns_per_second = 1'000'000'000;
  nanoseconds = static_cast<std::uint64_t>(time.tv_sec) * ns_per_second +
                static_cast<std::uint64_t>(time.tv_nsec);
  return 0;
}

int Linux::give_way() {
  constexpr int last = 19;
  return setpriority(PRIO_PROCESS, 0, last) == 0 ? 0 : -errno;
}

}  // namespace homenode::os
